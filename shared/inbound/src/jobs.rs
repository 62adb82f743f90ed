//! The jobs that carry updates to the worker.

use std::collections::BTreeMap;

use aws::queue::{LARGEST_CALL, chunks};
use domain::id::OrganizationId;
use domain::job::Job;

use crate::size::weight;

/// The highest number of updates in one job, and their highest total size in bytes. A larger update has a job of its
/// own.
const UPDATES: usize = 25;
const UPDATES_BYTES: usize = 24 * 1024;
/// The highest number of bytes that a job adds to its updates, including its organization and its origin.
const FRAME: usize = 200;

/// Returns jobs that carry these updates: several updates per job, all of them of one organization.
pub fn update_jobs(updates: Vec<(OrganizationId, String)>) -> Vec<Job> {
    let mut of_organization: BTreeMap<OrganizationId, Vec<String>> = BTreeMap::new();
    for (organization, update) in updates {
        of_organization.entry(organization).or_default().push(update);
    }

    let jobs = of_organization.into_iter().flat_map(|(organization, updates)| {
        let sizes: Vec<usize> = updates.iter().map(|update| weight(update)).collect();
        let mut left = updates.into_iter();
        chunks(&sizes, UPDATES, UPDATES_BYTES)
            .into_iter()
            .map(move |count| Job::updates(Some(organization.clone()), left.by_ref().take(count).collect()))
    });
    jobs.collect()
}

/// Returns whether an update fits into a message of the queue, as a string inside a job.
pub fn fits(update: &str) -> bool {
    weight(update) + FRAME <= LARGEST_CALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_update_is_left_out_and_no_job_mixes_organizations() {
        let organizations: Vec<OrganizationId> = ["org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "org_1ujtsYcgvSTl8PAuAdqWYSMnLOv"]
            .iter()
            .map(|id| id.parse().expect("an id"))
            .collect();
        let update = |n: usize| (organizations[n % 2].clone(), format!("{n} {}", "x".repeat(n % 700)));
        let updates: Vec<_> = (0..975).map(update).collect();
        let jobs = update_jobs(updates.clone());
        let mut all = Vec::new();
        for job in &jobs {
            assert!(job.organization().is_some());
            if let Job::Updates { organization_id: Some(organization), updates, .. } = job {
                all.extend(updates.iter().map(|update| (organization.clone(), update.clone())));
            }
        }
        let sorted = |mut updates: Vec<(OrganizationId, String)>| {
            updates.sort();
            updates
        };
        assert_eq!(sorted(all), sorted(updates));
    }
}

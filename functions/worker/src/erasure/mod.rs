//! Erases contacts ([ADR 42](../../../../docs/adr/0042-erasure.md)): goes through all numbers of the organization, page
//! by page, and records its progress after each page. A job processes a bounded number of pages and leaves the rest to
//! the next one, so that it does not block other jobs. If a job is lost, the sweep queues another.

mod groups;
mod messages;

use domain::chat::ChatPhoneNumber;
use domain::erasure::{Erased, Erasure, PAGES_PER_JOB, Position, Stage};
use domain::id::{Identifier as _, OrganizationId};
use domain::job::{Job, VERSION};
use domain::number::NumberId;
use domain::{E164, Failure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use store::{Change, Committed, OrganizationStore};

use crate::Worker;

/// How many items of a page are processed at once.
const AT_ONCE: usize = 8;

/// One run over an organization's numbers.
struct Run<'a> {
    worker: &'a Worker,
    org: OrganizationStore,
    numbers: Vec<NumberId>,
}

/// The outcome of a page: the counts of what was erased, and the position at which the erasure continues.
type Page = (Erased, Option<Position>);

impl Worker {
    /// Continues an erasure. Does nothing if it is done, and stops as soon as another job has recorded progress.
    pub(crate) async fn erase_contact(&self, organization: &OrganizationId, reference: &str) -> Result<(), Failure> {
        let context = &self.inbox.context;
        let org = context.store.of(organization);
        let Some(mut erasure) = org.erasure(reference).await?.filter(Erasure::is_running) else { return Ok(()) };
        let numbers = org.present_and_former_numbers().await?;
        let run = Run { worker: self, org, numbers };

        for _ in 0..PAGES_PER_JOB {
            let next = run.page(&erasure).await?;
            let mut change = Change::new(organization);
            change.advance_erasure(&erasure, &next, context.now())?;
            if matches!(context.store.commit(&change).await?, Committed::Stale) {
                return Ok(());
            }
            if !next.is_running() {
                let Erased { messages, media, contacts, .. } = next.erased;
                tracing::info!(erasure = reference, messages, media, contacts, "a contact was erased");
                return Ok(());
            }
            erasure = next;
        }

        let (organization_id, reference) = (organization.clone(), erasure.reference);
        self.jobs.queue.send(&[Job::EraseContact { v: VERSION, organization_id, reference }]).await
    }
}

impl Run<'_> {
    /// Erases the next page, and returns the erasure after it.
    async fn page(&self, erasure: &Erasure) -> Result<Erasure, Failure> {
        let mut next = erasure.clone();
        next.revision += 1;
        let Some(position) = &erasure.position else {
            self.expect_whole_history().await?;
            next.identities = self.identities(erasure).await?;
            return Ok(self.at(next, self.numbers.first().map(first_stage)));
        };
        let Some(number) = self.numbers.iter().find(|number| number.as_str() == position.number) else {
            return Ok(self.at(next, self.number_after(&position.number)));
        };

        let (erased, position) = match (position.stage, number) {
            (Stage::Conversations, _) => self.conversation(erasure, number, position).await?,
            (Stage::GroupMessages, NumberId::Chat(_)) => self.group_messages(erasure, number, position).await?,
            (Stage::Groups, NumberId::Chat(id)) => self.groups(erasure, id, position).await?,
            (Stage::GroupMessages | Stage::Groups | Stage::Contact, _) => {
                (self.contact(erasure, number).await?, self.number_after(&position.number))
            }
        };

        next.erased = next.erased.plus(erased);
        Ok(self.at(next, position))
    }

    /// Fails while parts of a history wait: their messages could be the contact's, and would be stored after the erasure.
    async fn expect_whole_history(&self) -> Result<(), Failure> {
        let chat = self.numbers.iter().filter_map(|number| match number {
            NumberId::Chat(id) => Some(id),
            NumberId::Phone(_) => None,
        });
        if self.org.has_waiting_history(chat).await? {
            return Err(Failure::unavailable("the history of a number is being imported"));
        }
        Ok(())
    }

    /// Returns the erasure at a position; without one, it is done.
    fn at(&self, erasure: Erasure, position: Option<Position>) -> Erasure {
        match position {
            Some(position) => Erasure { position: Some(position), ..erasure },
            None => erasure.finished(self.worker.inbox.context.now()),
        }
    }

    fn number_after(&self, number: &str) -> Option<Position> {
        self.numbers.iter().find(|next| next.as_str() > number).map(first_stage)
    }

    /// Returns all identities of the contact: the one that was named first, then those by which any number knows the
    /// same person. The contacts of other numbers can have further identities of that person.
    async fn identities(&self, erasure: &Erasure) -> Result<Vec<String>, Failure> {
        let mut identities: Vec<String> = erasure.contact.clone().into_iter().collect();
        loop {
            let mut reads = Vec::new();
            for number in &self.numbers {
                if let NumberId::Chat(id) = number {
                    reads.push(self.org.identities_of_contact(id, &identities));
                }
            }
            let found: Vec<Vec<String>> = stream::iter(reads).buffer_unordered(AT_ONCE).try_collect().await?;
            let before = identities.len();
            for identity in found.into_iter().flatten() {
                if !identities.contains(&identity) && identities.len() < MOST_IDENTITIES {
                    identities.push(identity);
                }
            }
            if identities.len() == before {
                return Ok(identities);
            }
        }
    }

    /// Erases the records of the contact, which led to its other identities.
    async fn contact(&self, erasure: &Erasure, number: &NumberId) -> Result<Erased, Failure> {
        let identities = &erasure.identities;
        self.org.erase_pauses(number, identities).await?;
        if number.mode().is_test() {
            self.simulated_contact(number, identities).await?;
        }
        let NumberId::Chat(id) = number else { return Ok(Erased::default()) };
        let contacts = self.org.erase_contact(id, identities).await?;
        Ok(Erased { contacts, ..Erased::default() })
    }

    /// Erases the simulated platform's state of the contact.
    async fn simulated_contact(&self, number: &NumberId, identities: &[String]) -> Result<(), Failure> {
        let simulated: Option<ChatPhoneNumber> = match number {
            NumberId::Chat(id) => self.org.chat_phone_number(id).await?,
            NumberId::Phone(_) => None,
        };
        for contact in identities.iter().filter_map(|identity| identity.parse::<E164>().ok()) {
            if let Some(number) = &simulated {
                self.org.erase_simulated_contact(&number.provider_phone_number_id, &contact).await?;
            }
            self.org.erase_playground_use(&contact).await?;
        }
        Ok(())
    }
}

/// The highest number of identities of one person that an erasure follows. A person has a phone number and a user id,
/// and perhaps previous ones.
const MOST_IDENTITIES: usize = 50;

fn first_stage(number: &NumberId) -> Position {
    position(number, Stage::Conversations, None)
}

/// Returns a position at the beginning of a stage, or after a sort key in it.
fn position(number: &NumberId, stage: Stage, after: Option<String>) -> Position {
    Position { number: number.as_str().to_owned(), stage, identity: 0, after }
}

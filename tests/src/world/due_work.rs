//! The sweep, which finds due work.

use std::time::Duration;

use delivery::{SweepEvent, Swept};
use domain::due::DueClass;
use domain::job::{SweepJob, VERSION};
use futures_util::{StreamExt as _, stream};

use super::World;

impl World {
    /// Sweeps twice and adds up the results. The due index is eventually consistent and a sweep runs every minute: what one
    /// sweep does not see yet, the next one does.
    ///
    /// Shards that have been empty so far are left out, which saves most of the reads.
    pub async fn sweep(&self) -> Swept {
        let mut swept = Swept::default();
        for _ in 0..2 {
            let used = self.account.due_partitions().await;
            let jobs = self.all_rounds().into_iter();
            let jobs = jobs.filter(|job| used.contains(&format!("{}#{}", job.class.as_str(), job.shard)));
            swept = swept + Box::pin(self.rounds(jobs.collect())).await;
        }
        swept
    }

    /// Looks at the due index, as the schedule does, and works off the first round of every shard in which something is due.
    /// Rounds that go on wait in the sweep's queue.
    pub async fn sweep_once(&self) -> Swept {
        let looked = Box::pin(self.sweeper.look()).await;
        let swept = self.rounds(looked.rounds).await;
        swept + Swept { unread: looked.unread, ..Swept::default() }
    }

    /// The first rounds of all classes and shards.
    pub fn all_rounds(&self) -> Vec<SweepJob> {
        let until = self.now().plus(Duration::from_secs(60));
        let of_class = |class: DueClass| {
            (0..class.shards()).map(move |shard| SweepJob { v: VERSION, class, shard, until, round: 0, after: None })
        };
        DueClass::ALL.into_iter().flat_map(of_class).collect()
    }

    async fn rounds(&self, jobs: Vec<SweepJob>) -> Swept {
        // Boxed, because the futures of all functions together exceed the stack of a test's thread.
        let rounds = stream::iter(jobs).map(|job| Box::pin(async move { self.sweeper.sweep(&job).await }));
        rounds.buffer_unordered(16).fold(Swept::default(), async |all, one| all + one).await
    }

    /// Invokes the sweep function with a message from its queue, as a deployed event source mapping does. Returns `false` if
    /// the queue is empty.
    pub async fn sweep_round(&self) -> bool {
        self.drain(&self.account.sweeps, async |event| {
            let event: SweepEvent = serde_json::from_value(event).unwrap();
            serde_json::to_value(self.sweeper.serve(event).await.unwrap()).unwrap()
        })
        .await
    }

    /// Waits until the due index shows the last write, which the guard (tools/guard) hides from the first read of the
    /// index.
    pub async fn index_caught_up(&self) {
        let in_a_century = self.now().plus(Duration::from_secs(100 * 365 * 86_400));
        let store = self.account.store();
        let read = |job: SweepJob| {
            let store = &store;
            Box::pin(async move { store.due(job.class, job.shard, in_a_century, None).await.unwrap() })
        };
        stream::iter(self.all_rounds()).map(read).buffer_unordered(16).for_each(async |_| {}).await;
    }
}

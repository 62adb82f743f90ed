"""Checks the monthly bill: what it counts, what it may come to, and that the guide shows it."""

import unittest

from tools.bench import monthly
from tools.bench.monthly import ALARMS, METRICS, QUEUE_REQUESTS, Item, after_free_tiers, idle_bill

# What an idle installation may cost a month.
LISTED, AFTER_FREE_TIERS = 6.50, 1.60


def totals(**parameters: str) -> tuple[float, float]:
    items = idle_bill(**parameters)
    return sum(item.dollars for item in items), sum(after_free_tiers(items))


class IdleBill(unittest.TestCase):
    def test_it_keeps_to_its_limits(self):
        listed, rest = totals()
        self.assertTrue(3 < listed <= LISTED and 1 < rest <= AFTER_FREE_TIERS, (listed, rest))

    def test_so_does_that_of_an_account_of_any_size_without_a_carrier(self):
        for account in ("50", "1000"):
            listed, rest = totals(AccountConcurrency=account)
            self.assertTrue(listed <= LISTED and rest <= AFTER_FREE_TIERS, (account, listed, rest))

    def test_list_prices_with_everything_that_essential_monitoring_can_have(self):
        listed, _ = totals(AccountConcurrency="1000", SmsCarrier="aws", ExpectNotifications="true")
        self.assertLessEqual(listed, LISTED)

    def test_alarms_cost_as_many_metrics_as_they_read(self):
        alarms, metrics = idle_bill()[:2]
        self.assertEqual((alarms.kind, alarms.amount, metrics.kind, metrics.amount), (ALARMS, 8, METRICS, 5))
        own = {"Namespace": {"Ref": "AWS::StackName"}, "MetricName": "Problems"}
        sums = {"Metrics": [{"Expression": "a + b"}, {"MetricStat": {"Metric": own}}, {"MetricStat": {"Metric": own}}]}
        self.assertEqual([len(monthly.watched(alarm)) for alarm in (own, sums)], [1, 2])

    def test_queues_that_are_not_read_are_not_polled(self):
        polls = lambda **parameters: next(item.amount for item in idle_bill(**parameters) if item.what == "polling of queues")
        per_queue = monthly.POLLS_PER_MINUTE * monthly.MINUTES
        found = [polls(), polls(AccountConcurrency="50"), polls(AccountConcurrency="50", SmsCarrier="aws")]
        self.assertEqual([amount / per_queue for amount in found], [4, 5, 6])

    def test_the_shards_are_those_of_the_code(self):
        self.assertEqual(monthly.shards(), 60)

    def test_a_free_tier_is_used_once(self):
        item = lambda amount: Item("", "", QUEUE_REQUESTS, amount)
        rest = after_free_tiers([item(600_000), item(600_000), Item("", "", METRICS, 11)])
        self.assertEqual([round(dollars, 6) for dollars in rest], [0, 0.08, 0.3])

    def test_the_guide_shows_it(self):
        self.assertEqual(monthly.PAGE.read_text(), monthly.page())


if __name__ == "__main__":
    unittest.main()

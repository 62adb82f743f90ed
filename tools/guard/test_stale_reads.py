"""Tests of stale reads: an eventually consistent read shows the last write only when it is repeated."""

from unittest import mock

from botocore.exceptions import BotoCoreError, ClientError
from multidict import CIMultiDict

from . import Guard
from .messages import Answer
from .testing import TABLE, GuardTest, accounts, client, create_table, key, shared_guard, text
from .upstream import Upstream


class StaleReads(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.dynamodb = self.client("dynamodb")
        create_table(self.dynamodb)

    def guard(self) -> Guard:
        return shared_guard(stale_reads=True)

    def put(self, sk: str, value: str | None = None, due: int | None = None) -> None:
        item = key("p", sk)
        if value is not None:
            item["value"] = text(value)
        if due is not None:
            item |= {"duePartition": text("d"), "dueAt": {"N": str(due)}}
        self.dynamodb.put_item(TableName=TABLE, Item=item)

    def delete(self, sk: str) -> None:
        self.dynamodb.delete_item(TableName=TABLE, Key=key("p", sk))

    def get(self, sk: str, **more) -> str | None:
        item = self.dynamodb.get_item(TableName=TABLE, Key=key("p", sk), **more).get("Item")
        return item and item["value"]["S"]

    def strictly(self, sk: str) -> str | None:
        return self.get(sk, ConsistentRead=True)

    def batch(self, *sks: str, **more) -> dict[str, str]:
        keys = [key("p", sk) for sk in sks]
        answer = self.dynamodb.batch_get_item(RequestItems={TABLE: {"Keys": keys, **more}})
        return {item["SK"]["S"]: item["value"]["S"] for item in answer["Responses"][TABLE]}

    def query(self, **more) -> list[tuple[str, str]]:
        given = {"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": text("p")}, **more}
        answer = self.dynamodb.query(TableName=TABLE, **given)
        self.assertEqual((answer["Count"], answer["ScannedCount"]), (len(answer["Items"]), len(answer["Items"])))
        return [(item["SK"]["S"], item["value"]["S"]) for item in answer["Items"]]

    def due(self, until: int = 100, **more) -> list[tuple[str, int]]:
        answer = self.dynamodb.query(
            TableName=TABLE,
            IndexName="due",
            KeyConditionExpression="#d = :d AND dueAt <= :now",
            ExpressionAttributeNames={"#d": "duePartition"},
            ExpressionAttributeValues={":d": text("d"), ":now": {"N": str(until)}},
            **more,
        )
        for item in answer["Items"]:
            self.assertEqual(set(item), {"PK", "SK", "duePartition", "dueAt"})
        return [(item["SK"]["S"], int(item["dueAt"]["N"])) for item in answer["Items"]]

    def test_a_get_is_one_write_old_once(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        self.put("a", "3")
        self.assertEqual(self.strictly("a"), "3")
        self.assertEqual([self.get("a"), self.get("a")], ["2", "3"])
        self.assertEqual(self.strictly("a"), "3")

    def test_what_was_not_there_is_not_there_yet(self) -> None:
        self.put("a", "1")
        self.assertEqual(self.strictly("a"), "1")
        self.assertEqual([self.get("a"), self.get("a")], [None, "1"])

    def test_what_was_deleted_is_still_there(self) -> None:
        self.put("a", "1")
        self.delete("a")
        self.assertIsNone(self.strictly("a"))
        self.assertEqual([self.get("a"), self.get("a")], ["1", None])

    def test_only_the_last_write_is_unknown(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        self.assertEqual([self.get("a"), self.get("b")], ["1", None])

    def test_a_read_that_shows_no_difference_uses_nothing_up(self) -> None:
        self.put("b", "1")
        self.put("a", "1")
        self.assertEqual([self.get("b"), self.get("a"), self.get("a")], ["1", None, "1"])

    def test_an_update_and_projections(self) -> None:
        self.put("a", "1")
        update = {
            "UpdateExpression": "SET #v = :v",
            "ExpressionAttributeNames": {"#v": "value"},
            "ExpressionAttributeValues": {":v": text("2")},
        }
        self.dynamodb.update_item(TableName=TABLE, Key=key("p", "a"), **update)
        names = {"ProjectionExpression": "#v", "ExpressionAttributeNames": {"#v": "value"}}
        self.assertEqual(
            self.dynamodb.get_item(TableName=TABLE, Key=key("p", "a"), **names)["Item"], {"value": text("1")}
        )
        self.assertEqual(self.get("a"), "2")

    def test_a_write_that_fails_is_none(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        with self.assertRaises(ClientError):
            self.dynamodb.delete_item(
                TableName=TABLE, Key=key("p", "a"), ConditionExpression="attribute_not_exists(PK)"
            )
        self.assertEqual([self.get("a"), self.get("b")], ["1", None])

    def test_a_transaction_and_a_batch_are_one_write(self) -> None:
        self.put("a", "1")
        self.put("c", "1")

        def put(sk: str, value: str) -> dict:
            return {"Put": {"TableName": TABLE, "Item": {**key("p", sk), "value": text(value)}}}

        check = {
            "ConditionCheck": {"TableName": TABLE, "Key": key("p", "c"), "ConditionExpression": "attribute_exists(PK)"}
        }
        self.dynamodb.transact_write_items(TransactItems=[put("a", "2"), put("b", "2"), check])
        self.assertEqual([self.get("a"), self.get("b"), self.get("c")], ["1", None, "1"])
        self.assertEqual([self.get("a"), self.get("b"), self.get("c")], ["2", "2", "1"])
        requests = [
            {"DeleteRequest": {"Key": key("p", "a")}},
            {"PutRequest": {"Item": {**key("p", "b"), "value": text("3")}}},
        ]
        self.dynamodb.batch_write_item(RequestItems={TABLE: requests})
        self.assertEqual([self.get("a"), self.get("b")], ["2", "2"])
        self.assertEqual([self.get("a"), self.get("b")], [None, "3"])
        answer = self.dynamodb.transact_get_items(TransactItems=[{"Get": {"TableName": TABLE, "Key": key("p", "b")}}])
        self.assertEqual(answer["Responses"][0]["Item"]["value"], text("3"))

    def test_a_batch_of_reads(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        self.put("b", "2")
        self.assertEqual(self.batch("a", "b", ConsistentRead=True), {"a": "1", "b": "2"})
        self.assertEqual(self.batch("a", "b"), {"a": "1", "b": "1"})
        self.assertEqual(self.batch("a", "b"), {"a": "1", "b": "2"})
        self.delete("b")
        self.assertEqual([self.batch("a", "b"), self.batch("a", "b")], [{"a": "1", "b": "2"}, {"a": "1"}])
        self.put("c", "1")
        self.assertEqual([self.batch("c"), self.batch("c")], [{}, {"c": "1"}])

    def test_a_query_of_the_table(self) -> None:
        for sk in ("a", "b", "c"):
            self.put(sk, "1")
        self.put("b", "2")
        now = [("a", "1"), ("b", "2"), ("c", "1")]
        self.assertEqual(self.query(ConsistentRead=True), now)
        self.assertEqual(self.query(), [("a", "1"), ("b", "1"), ("c", "1")])
        self.assertEqual(self.query(), now)
        self.delete("b")
        self.assertEqual(self.query(ScanIndexForward=False), [("c", "1"), ("b", "2"), ("a", "1")])
        self.assertEqual(self.query(), [("a", "1"), ("c", "1")])
        self.put("d", "1")
        before = {
            "KeyConditionExpression": "PK = :p AND SK < :s",
            "ExpressionAttributeValues": {":p": text("p"), ":s": text("c")},
        }
        self.assertEqual(self.query(**before), [("a", "1")])
        self.assertEqual(self.query(), [("a", "1"), ("c", "1")])
        self.assertEqual(self.query(), [("a", "1"), ("c", "1"), ("d", "1")])

    def test_a_scan(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        scan = lambda: sorted(item["SK"]["S"] for item in self.dynamodb.scan(TableName=TABLE)["Items"])  # noqa: E731
        self.assertEqual([scan(), scan()], [["a"], ["a", "b"]])
        self.delete("a")
        self.assertEqual([scan(), scan()], [["a", "b"], ["b"]])

    def test_a_query_of_an_index(self) -> None:
        self.put("a", "1", due=10)
        self.assertEqual([self.due(), self.due()], [[], [("a", 10)]])
        self.put("b", "1", due=20)
        # The table's readers have not seen it either.
        self.assertEqual(
            [self.due(), self.get("b"), self.due(), self.get("b")], [[("a", 10)], None, [("a", 10), ("b", 20)], "1"]
        )
        # Moved after the requested range, and before it.
        self.put("a", "1", due=500)
        self.assertEqual([self.due(), self.due()], [[("a", 10), ("b", 20)], [("b", 20)]])
        self.put("a", "1", due=30)
        self.assertEqual([self.due(), self.due()], [[("b", 20)], [("b", 20), ("a", 30)]])
        self.put("a", "1", due=5)
        self.assertEqual([self.due(), self.due()], [[("b", 20), ("a", 30)], [("a", 5), ("b", 20)]])
        # Removed from the index, but still in the table.
        self.put("a", "1")
        self.assertEqual([self.due(), self.due()], [[("a", 5), ("b", 20)], [("b", 20)]])

    def test_pages_and_limits(self) -> None:
        for due in (1, 2, 3):
            self.put(f"{due}", "1", due=due)
        self.delete("1")
        # The page has no room for the item.
        self.assertEqual(self.due(Limit=2), [("2", 2), ("3", 3)])
        self.put("2", "1", due=4)
        page = self.due(Limit=1)
        self.assertEqual(page, [("3", 3)])
        self.put("3", "2", due=3)
        self.assertEqual(self.query(Limit=1), [("2", "1")])
        self.assertEqual(self.query(Limit=2), [("2", "1"), ("3", "1")])
        self.assertEqual(self.query(Limit=2), [("2", "1"), ("3", "2")])

    def test_what_takes_more_to_tell_is_as_it_is(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        values = {":p": text("p"), ":v": text("2")}
        filtered = {
            "FilterExpression": "#v = :v",
            "ExpressionAttributeNames": {"#v": "value"},
            "ExpressionAttributeValues": values,
        }
        self.assertEqual(self.query(**filtered), [("a", "2")])
        self.assertEqual(self.get("a"), "1")

    def test_tables_and_accounts_know_nothing_of_each_other(self) -> None:
        other = client("dynamodb", str(next(accounts)), shared_guard(stale_reads=True).url)
        create_table(other)
        self.put("a", "1")
        other.put_item(TableName=TABLE, Item={**key("p", "a"), "value": text("theirs")})
        self.assertEqual([self.get("a"), self.get("a")], [None, "1"])
        self.assertNotIn("Item", other.get_item(TableName=TABLE, Key=key("p", "a")))
        self.put("a", "2")
        self.dynamodb.delete_table(TableName=TABLE)
        create_table(self.dynamodb)
        self.assertIsNone(self.get("a"))

    def test_a_write_whose_answer_was_lost_leaves_nothing_that_is_two_writes_old(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        ask = Upstream.ask

        async def lose(
            upstream: Upstream, method: str, target: str, headers: CIMultiDict[str], *given: object
        ) -> Answer:
            answer = await ask(upstream, method, target, headers, *given)
            if headers["X-Amz-Target"].endswith("PutItem"):
                raise ConnectionResetError
            return answer

        with mock.patch.object(Upstream, "ask", lose), self.assertRaises(BotoCoreError):
            self.put("a", "3")
        self.assertEqual([self.get("a"), self.strictly("a")], ["3", "3"])

    def test_a_statement_ends_what_is_known(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        self.dynamodb.execute_statement(Statement=f"UPDATE \"{TABLE}\" SET other = 'x' WHERE PK = 'p' AND SK = 'a'")
        self.assertEqual(self.get("a"), "2")

    def test_without_being_asked_for_nothing_is_stale(self) -> None:
        fresh = client("dynamodb", self.account, shared_guard().url)
        for value in ("1", "2"):
            fresh.put_item(TableName=TABLE, Item={**key("p", "a"), "value": text(value)})
            self.assertEqual(fresh.get_item(TableName=TABLE, Key=key("p", "a"))["Item"]["value"], text(value))

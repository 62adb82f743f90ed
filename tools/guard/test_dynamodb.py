"""Tests of DynamoDB's rules: for each, a request that is refused and one just within the limit."""

from botocore.exceptions import ClientError

from .testing import KIB, TABLE, GuardTest, client, create_table, emulator, key, text
from .values import value_size


class DynamoDbRules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.dynamodb = self.client("dynamodb")
        create_table(self.dynamodb)

    def put(self, **attributes):
        return lambda: self.dynamodb.put_item(TableName=TABLE, Item={**key(), **attributes})

    def update(self, expression: str, values: dict | None = None, names: dict | None = None, pk: str = "p"):
        optional = {"ExpressionAttributeValues": values, "ExpressionAttributeNames": names}
        given = {name: value for name, value in optional.items() if value is not None}
        return lambda: self.dynamodb.update_item(TableName=TABLE, Key=key(pk), UpdateExpression=expression, **given)

    def write(self, *actions: dict, **more):
        return lambda: self.dynamodb.transact_write_items(TransactItems=list(actions), **more)

    @staticmethod
    def transact_put(number: int, **attributes) -> dict:
        return {"Put": {"TableName": TABLE, "Item": {**key(f"p{number}"), **attributes}}}

    @staticmethod
    def transact_get(number: int) -> dict:
        return {"Get": {"TableName": TABLE, "Key": key(f"p{number}")}}

    def batch_get(self, keys: list[dict], **more):
        return lambda: self.dynamodb.batch_get_item(RequestItems={TABLE: {"Keys": keys, **more}})

    def batch_write(self, *items: dict):
        requests = [{"PutRequest": {"Item": item}} for item in items]
        return lambda: self.dynamodb.batch_write_item(RequestItems={TABLE: requests})

    def query(self, **more):
        given = {
            "TableName": TABLE,
            "KeyConditionExpression": "PK = :p",
            "ExpressionAttributeValues": {":p": text("p")},
            **more,
        }
        return lambda: self.dynamodb.query(**given)

    def invalid(self, rule: str, call) -> str:
        return self.refused(rule, "ValidationException", call).response["Error"]["Message"]

    def test_dynamodb_transaction_actions(self) -> None:
        rule = "dynamodb-model"
        self.invalid(rule, self.write(*(self.transact_put(number) for number in range(101))))
        self.invalid(
            rule, lambda: self.dynamodb.transact_get_items(TransactItems=[self.transact_get(n) for n in range(101)])
        )
        self.passed(self.write(*(self.transact_put(number) for number in range(100))))
        self.passed(lambda: self.dynamodb.transact_get_items(TransactItems=[self.transact_get(n) for n in range(100)]))

    def test_dynamodb_transaction_size(self) -> None:
        rule = "dynamodb-transaction-size"
        self.invalid(rule, self.write(*(self.transact_put(n, data=text("x" * 381_400)) for n in range(11))))
        set_data = {
            "Key": key("p99"),
            "TableName": TABLE,
            "UpdateExpression": "SET #d = :d",
            "ExpressionAttributeNames": {"#d": "d"},
        }
        update = {"Update": {**set_data, "ExpressionAttributeValues": {":d": text("x" * 381_400)}}}
        self.invalid(rule, self.write(update, *(self.transact_put(n, data=text("x" * 381_400)) for n in range(10))))
        self.passed(self.write(*(self.transact_put(n, data=text("x" * 380_900)) for n in range(11))))

    def test_dynamodb_transaction_token(self) -> None:
        self.invalid("dynamodb-model", self.write(self.transact_put(1), ClientRequestToken="x" * 37))
        self.invalid("dynamodb-model", self.write(self.transact_put(1), ClientRequestToken=""))
        self.passed(self.write(self.transact_put(1), ClientRequestToken="x" * 36))
        self.passed(self.write(self.transact_put(1), ClientRequestToken="x"))

    def test_dynamodb_batch_get_keys(self) -> None:
        tables = {TABLE: {"Keys": [key(f"p{n}") for n in range(100)]}, "other": {"Keys": [key()]}}
        self.invalid("dynamodb-batch-get-keys", lambda: self.dynamodb.batch_get_item(RequestItems=tables))
        self.invalid("dynamodb-model", self.batch_get([key(f"p{n}") for n in range(101)]))
        self.passed(self.batch_get([key(f"p{n}") for n in range(100)]))

    def test_dynamodb_batch_write_requests(self) -> None:
        puts = [{"PutRequest": {"Item": key(f"p{n}")}} for n in range(25)]
        tables = {TABLE: puts, "other": puts[:1]}
        self.invalid("dynamodb-batch-write-requests", lambda: self.dynamodb.batch_write_item(RequestItems=tables))
        self.invalid("dynamodb-model", self.batch_write(*(key(f"p{n}") for n in range(26))))
        self.passed(self.batch_write(*(key(f"p{n}") for n in range(25))))

    def test_dynamodb_same_item_twice(self) -> None:
        rule = "dynamodb-same-item-twice"
        check = {
            "ConditionCheck": {"TableName": TABLE, "Key": key("p1"), "ConditionExpression": "attribute_exists(PK)"}
        }
        self.invalid(rule, self.write(self.transact_put(1), check))
        self.invalid(
            rule, lambda: self.dynamodb.transact_get_items(TransactItems=[self.transact_get(1), self.transact_get(1)])
        )
        self.invalid(rule, self.batch_get([key(), key("q"), key()]))
        self.invalid(rule, self.batch_write(key(), {**key(), "a": text("a")}))
        self.passed(self.write(self.transact_put(1), self.transact_put(2)))
        self.passed(self.batch_get([key("p", "a"), key("p", "b")]))
        self.passed(self.batch_write(key("p", "a"), key("p", "b")))

    def test_dynamodb_item_size(self) -> None:
        rule = "dynamodb-item-size"
        # Names and keys: PK, SK, p, s and data are ten bytes.
        most = 400 * KIB - 10
        self.invalid(rule, self.put(data=text("x" * (most + 1))))
        self.invalid(rule, self.batch_write({**key(), "data": text("é" * (most // 2 + 1))}))
        self.invalid(rule, self.write({"Put": {"TableName": TABLE, "Item": {**key(), "data": text("x" * (most + 1))}}}))
        self.passed(self.put(data=text("x" * most)))
        # The emulator checks how large an update makes an item.
        outcome, broken = self.observe(self.update("SET more = :m", {":m": text("x" * 20)}))
        self.assertEqual((outcome.response["Error"]["Code"], broken), ("ValidationException", {}))

    def test_dynamodb_item_size_of_every_type(self) -> None:
        sizes = [
            ({"S": "é"}, 2),
            ({"N": "-00120.500"}, 3),
            ({"N": "0"}, 1),
            ({"B": "AAAA"}, 3),
            ({"BOOL": True}, 1),
            ({"NULL": True}, 1),
            ({"SS": ["ab", "c"]}, 3),
            ({"NS": ["1", "123"]}, 5),
            ({"BS": ["AAAA"]}, 3),
            ({"L": []}, 3),
            ({"L": [{"S": "a"}]}, 5),
            ({"M": {"ab": {"S": "c"}}}, 7),
        ]
        for value, size in sizes:
            self.assertEqual(value_size(value), size, value)

    def test_dynamodb_key_empty(self) -> None:
        rule = "dynamodb-key-empty"
        self.invalid(rule, lambda: self.dynamodb.get_item(TableName=TABLE, Key=key("")))
        self.invalid(rule, lambda: self.dynamodb.delete_item(TableName=TABLE, Key=key("p", "")))
        self.invalid(rule, self.write(self.transact_put(1, SK=text(""))))
        self.invalid(rule, self.batch_get([key(""), key()]))
        self.invalid(rule, self.query(ExpressionAttributeValues={":p": text("")}))
        self.assertIn("IndexName: byOther, IndexKey: other", self.invalid(rule, self.put(other=text(""))))
        self.invalid(rule, self.update("SET other = :o", {":o": text("")}))
        self.passed(self.put(other=text("x"), unrelated=text(""), PK=text("x"), SK=text("x")))
        self.passed(self.update("SET unrelated = :o", {":o": text("")}))

    def test_dynamodb_key_size(self) -> None:
        rule = "dynamodb-key-size"
        self.invalid(rule, self.put(PK=text("x" * 2049)))
        self.invalid(rule, self.put(SK=text("é" * 512 + "x")))
        self.invalid(rule, self.put(other=text("x" * 2049)))
        self.invalid(rule, lambda: self.dynamodb.get_item(TableName=TABLE, Key=key("x" * 2049)))
        self.invalid(rule, self.query(ExpressionAttributeValues={":p": text("x" * 2049)}))
        self.passed(self.put(PK=text("x" * 2048), SK=text("é" * 512)))
        self.passed(lambda: self.dynamodb.get_item(TableName=TABLE, Key=key("x" * 2048, "x" * 1024)))

    def test_dynamodb_set_empty(self) -> None:
        rule = "dynamodb-set-empty"
        for kind in ("SS", "NS", "BS"):
            self.invalid(rule, self.put(set={kind: []}))
        self.invalid(rule, self.put(map={"M": {"list": {"L": [{"SS": []}]}}}))
        self.assertIn("for key :s", self.invalid(rule, self.update("SET a = :s", {":s": {"SS": []}})))
        self.passed(self.put(set={"SS": [""]}, list={"L": []}, map={"M": {}}))

    def test_dynamodb_number(self) -> None:
        rule = "dynamodb-number"
        for wrong in ("1" * 39, "0." + "1" * 39, "-" + "1" * 39, "1E126", "1E-131", "one", "NaN"):
            self.invalid(rule, self.put(number={"N": wrong}))
        self.invalid(rule, self.put(numbers={"NS": ["1", "2" * 39]}))
        self.assertIn("for key :n", self.invalid(rule, self.update("SET a = :n", {":n": {"N": "1" * 39}})))
        for right in ("1" * 38, "0.0" + "1" * 38, "1" * 38 + "000", "9.9E125", "-1E-130", "0"):
            self.passed(self.put(number={"N": right}))

    def test_dynamodb_nesting(self) -> None:
        def nested(levels: int) -> dict:
            value = text("leaf")
            for level in range(levels - 1):
                value = {"L": [value]} if level % 2 else {"M": {"m": value}}
            return value

        self.invalid("dynamodb-nesting", self.put(deep=nested(33)))
        self.invalid("dynamodb-nesting", self.update("SET a = :v", {":v": nested(33)}))
        self.passed(self.put(deep=nested(32)))

    def test_dynamodb_expression_size(self) -> None:
        def condition(length: int):
            return lambda: self.dynamodb.put_item(
                TableName=TABLE, Item=key(), ConditionExpression="attribute_not_exists(absent)".ljust(length)
            )

        self.invalid("dynamodb-expression-size", condition(4 * KIB + 1))
        self.passed(condition(4 * KIB))

    def test_dynamodb_placeholder_undefined(self) -> None:
        rule = "dynamodb-placeholder-undefined"
        self.assertIn("attribute name: #a", self.invalid(rule, self.update("SET #a = :v", {":v": text("x")})))
        self.assertIn("attribute value: :w", self.invalid(rule, self.update("SET a = :w, b = :v", {":v": text("x")})))
        self.invalid(rule, self.batch_get([key()], ProjectionExpression="#a"))
        self.passed(self.update("SET #a = :v", {":v": text("x")}, {"#a": "a"}))

    def test_dynamodb_placeholder_unused(self) -> None:
        rule = "dynamodb-placeholder-unused"
        message = self.invalid(rule, self.update("SET a = :v", {":v": text("x"), ":w": text("x")}))
        self.assertIn("ExpressionAttributeValues unused in expressions: keys: {:w}", message)
        message = self.invalid(rule, self.update("SET #a = :v", {":v": text("x")}, {"#a": "a", "#ab": "b"}))
        self.assertIn("ExpressionAttributeNames unused in expressions: keys: {#ab}", message)
        self.invalid(
            rule, lambda: self.dynamodb.get_item(TableName=TABLE, Key=key(), ExpressionAttributeNames={"#a": "a"})
        )
        self.passed(self.update("SET #a = :v, #ab = :v", {":v": text("x")}, {"#a": "a", "#ab": "b"}))

    def test_dynamodb_key_update(self) -> None:
        rule = "dynamodb-key-update"
        self.invalid(rule, self.update("SET a = :v, SK = :v", {":v": text("s")}))
        self.invalid(rule, self.update("SET a = if_not_exists(b, :v) REMOVE #k", {":v": text("s")}, {"#k": "PK"}))
        update = {
            "TableName": TABLE,
            "Key": key(),
            "UpdateExpression": "SET SK = :v",
            "ExpressionAttributeValues": {":v": text("s")},
        }
        error = self.refused(rule, "TransactionCanceledException", self.write(self.transact_put(1), {"Update": update}))
        self.assertEqual(
            [reason["Code"] for reason in error.response["CancellationReasons"]], ["None", "ValidationError"]
        )
        self.passed(self.update("SET a = :v, duePartition = :v", {":v": text("s")}))
        self.passed(self.update("SET a = PK"))
        self.passed(self.update("SET #m = :m", {":m": {"M": {}}}, {"#m": "m"}))
        self.passed(self.update("SET #m.SK = :v", {":v": text("s")}, {"#m": "m"}))

    def test_dynamodb_limit(self) -> None:
        self.invalid("dynamodb-model", self.query(Limit=0))
        self.invalid("dynamodb-model", lambda: self.dynamodb.scan(TableName=TABLE, Limit=-1))
        self.passed(self.query(Limit=1))
        self.passed(lambda: self.dynamodb.scan(TableName=TABLE, Limit=1))

    def test_dynamodb_index_consistent_read(self) -> None:
        due = {"IndexName": "due", "KeyConditionExpression": "duePartition = :p"}
        self.invalid("dynamodb-index-consistent-read", self.query(**due, ConsistentRead=True))
        self.passed(self.query(**due))
        self.passed(self.query(IndexName="local", ConsistentRead=True))

    def test_dynamodb_ttl_type(self) -> None:
        self.dynamodb.update_time_to_live(
            TableName=TABLE, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True}
        )
        for call in (
            self.put(ttl=text("1760000000")),
            self.update("SET #t = :t", {":t": text("1760000000")}, {"#t": "ttl"}),
            self.write(self.transact_put(1, ttl={"NULL": True})),
        ):
            outcome, broken = self.observe(call)
            self.assertNotIsInstance(outcome, ClientError)
            self.assertEqual(broken, {"dynamodb-ttl-type": 1})
        self.passed(self.put(ttl={"N": "1760000000"}))
        self.passed(self.update("SET #t = :t", {":t": {"N": "1760000000"}}, {"#t": "ttl"}))

    def test_a_table_that_others_have_made_or_changed_is_known_too(self) -> None:
        beside = client("dynamodb", self.account, emulator().url)
        beside.create_table(
            TableName="other",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "B"}],
        )
        put = {"TableName": "other", "Item": {"id": {"B": b""}}}
        self.invalid("dynamodb-key-empty", lambda: self.dynamodb.put_item(**put))
        beside.delete_table(TableName="other")
        # The first response shows that the table does not exist.
        self.observe(lambda: self.dynamodb.get_item(TableName="other", Key={"id": {"B": b"x"}}))
        outcome, broken = self.observe(lambda: self.dynamodb.put_item(**put))
        self.assertEqual((outcome.response["Error"]["Code"], broken), ("ResourceNotFoundException", {}))

    def test_what_the_emulator_refuses_comes_back_as_it_is(self) -> None:
        self.dynamodb.put_item(TableName=TABLE, Item=key())
        with self.assertRaises(self.dynamodb.exceptions.ConditionalCheckFailedException):
            self.dynamodb.put_item(TableName=TABLE, Item=key(), ConditionExpression="attribute_not_exists(PK)")

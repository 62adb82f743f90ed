"""Tests of the rules that come from the services' models, and of the parsers of forms and of paths."""

import unittest
from urllib.parse import urlencode

from botocore.model import ListShape, MapShape, ServiceModel, Shape, StructureShape
from botocore.serialize import create_serializer

from .model import Compiler, Fault, compiler, faults, pattern_of, service_model, validator_of
from .query import parse_form
from .request import Request
from .rest import parse_target
from .rules import models
from .testing import TABLE, GuardTest, create_table, key, text

LONG_KEY = "k" * 129


class ModelRules(GuardTest):
    """For each service, requests that its model refuses and one that it accepts."""

    def invalid(self, rule: str, expected: str, call, code: str = "ValidationException") -> dict:
        response = self.refused(rule, code, call).response
        self.assertIn(expected, response["Error"]["Message"])
        return response

    def test_dynamodb_model(self) -> None:
        dynamodb, rule = self.client("dynamodb"), "dynamodb-model"
        create_table(dynamodb)
        missing = "Value null at 'key' failed to satisfy constraint: Member must not be null"
        self.invalid(rule, missing, lambda: dynamodb.get_item(TableName=TABLE))
        put = {"TableName": TABLE, "Item": key()}
        self.invalid(rule, "enum value set: [NONE, ALL_OLD", lambda: dynamodb.put_item(**put, ReturnValues="ALL"))
        self.invalid(rule, "'keySchema'", lambda: dynamodb.create_table(TableName="new", KeySchema=[]))
        self.invalid(rule, "Member must have length less", lambda: dynamodb.describe_table(TableName="x" * 1025))
        self.invalid(rule, "pattern: [a-zA-Z0-9_.-]+", lambda: dynamodb.scan(TableName=TABLE, IndexName="an index"))
        self.invalid(
            rule, "'transactItems.1.member.update.updateExpression'",
            lambda: dynamodb.transact_write_items(TransactItems=[{"Update": {"TableName": TABLE, "Key": key()}}]),
        )
        self.invalid(rule, "Map value must satisfy", lambda: dynamodb.batch_write_item(RequestItems={TABLE: []}))
        self.invalid(rule, "'requestItems'", lambda: dynamodb.batch_get_item(RequestItems={}))
        self.invalid(rule, "'limit'", lambda: dynamodb.list_tables(Limit=101))
        self.passed(lambda: dynamodb.put_item(**put, ReturnValues="ALL_OLD", ReturnConsumedCapacity="TOTAL"))

    def test_sqs_model(self) -> None:
        sqs, rule = self.client("sqs"), "sqs-model"
        queue = sqs.create_queue(QueueName="queue")["QueueUrl"]
        self.invalid(rule, "parameter MessageBody.", lambda: sqs.send_message(QueueUrl=queue), "MissingParameter")
        entries = [{"Id": "a", "MessageBody": "x"}, {"Id": "b"}]
        batch = {"QueueUrl": queue, "Entries": entries}
        self.invalid(rule, "parameter MessageBody.", lambda: sqs.send_message_batch(**batch), "MissingParameter")
        for call in (
            lambda: sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["Length"]),
            lambda: sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Length": "1"}),
        ):
            self.refused(rule, "InvalidAttributeName", call)
        self.passed(lambda: sqs.send_message(QueueUrl=queue, MessageBody="x"))
        # The model knows only names of queue attributes here.
        received = self.passed(lambda: sqs.receive_message(QueueUrl=queue, AttributeNames=["SentTimestamp"]))
        self.assertIn("SentTimestamp", received["Messages"][0]["Attributes"])

    def test_secrets_model(self) -> None:
        secrets, rule = self.client("secretsmanager"), "secrets-model"
        self.invalid(rule, "'name'", lambda: secrets.create_secret(SecretString="x"))
        empty = "Value at 'secretString' failed to satisfy constraint: Member must have length greater than or equal to 1"
        self.invalid(rule, empty, lambda: secrets.create_secret(Name="a", SecretString=""))
        secrets.create_secret(Name="a", SecretString="x")
        versions = {"SecretId": "a", "SecretString": "y", "VersionStages": [f"stage{at}" for at in range(21)]}
        self.invalid(rule, "'versionStages'", lambda: secrets.put_secret_value(**versions))
        self.invalid(rule, "'secretId'", lambda: secrets.get_secret_value(SecretId="x" * 2049))
        self.passed(lambda: secrets.get_secret_value(SecretId="a"))

    def test_kms_model(self) -> None:
        kms, rule = self.client("kms"), "kms-model"
        self.invalid(rule, "'keyUsage'", lambda: kms.create_key(KeyUsage="EVERYTHING"))
        identity = self.passed(kms.create_key)["KeyMetadata"]["KeyId"]
        self.invalid(rule, "'plaintext'", lambda: kms.encrypt(KeyId=identity, Plaintext=b"x" * 4097))
        self.invalid(rule, "'aliasName'", lambda: kms.create_alias(AliasName="alias/a b", TargetKeyId=identity))
        self.passed(lambda: kms.encrypt(KeyId=identity, Plaintext=b"x" * 4096))

    def test_sms_model(self) -> None:
        sms, rule = self.client("pinpoint-sms-voice-v2"), "sms-model"
        message = {"DestinationPhoneNumber": "+12015550123", "MessageBody": "x" * 1600, "MaxPrice": "1.5"}
        for changed, field in (
            ({"DestinationPhoneNumber": "one"}, "destinationPhoneNumber"),
            ({"MessageBody": "x" * 1601}, "messageBody"),
            ({"MessageBody": " "}, "messageBody"),
            ({"MessageType": "OTHER"}, "messageType"),
            ({"TimeToLive": 4}, "timeToLive"),
            ({"Context": {str(at): "x" for at in range(6)}}, "context"),
        ):
            send = lambda: sms.send_text_message(**{**message, **changed})  # noqa: B023, E731
            response = self.invalid(rule, f"'{field}'", send)
            self.assertEqual((response["Reason"], response["Fields"][0]["Name"]), ("FIELD_VALIDATION_FAILED", field))
        # The emulator does not have the service.
        _, broken = self.observe(lambda: sms.send_text_message(**message))
        self.assertEqual(broken, {})

    def test_sns_model(self) -> None:
        sns, rule = self.client("sns"), "sns-model"
        code = "ValidationError"
        self.invalid(rule, "'name'", sns.create_topic, code)
        topic = self.passed(lambda: sns.create_topic(Name="topic", Tags=[{"Key": "k", "Value": ""}]))["TopicArn"]
        self.invalid(rule, "Value null at 'message'", lambda: sns.publish(TopicArn=topic), code)
        tags = {"ResourceArn": topic, "Tags": [{"Key": LONG_KEY, "Value": "x"}]}
        self.invalid(rule, "'tags.1.member.key'", lambda: sns.tag_resource(**tags), code)
        attributes = {"name": {"StringValue": "x"}}
        publish = {"TopicArn": topic, "Message": "x", "MessageAttributes": attributes}
        self.invalid(rule, "'messageAttributes.name.member.dataType'", lambda: sns.publish(**publish), code)
        self.passed(lambda: sns.publish(TopicArn=topic, Message="é&=\n"))

    def test_lambda_model(self) -> None:
        functions, rule = self.client("lambda"), "lambda-model"
        self.invalid(rule, "'maxItems'", lambda: functions.list_functions(MaxItems=0))
        self.invalid(rule, "'functionName'", lambda: functions.get_function(FunctionName="a b"))
        self.invalid(
            rule, "'invocationType'", lambda: functions.invoke(FunctionName="f", InvocationType="Now", Payload=b"{}")
        )
        variables = {"_HANDLER_": "x"}
        update = {"FunctionName": "f", "Environment": {"Variables": variables}, "MemorySize": 127}
        response = self.invalid(rule, "2 validation errors", lambda: functions.update_function_configuration(**update))
        self.assertIn("at 'environment.variables' failed to satisfy constraint: Map keys", response["Error"]["Message"])
        self.assertIn("Value '127' at 'memorySize'", response["Error"]["Message"])
        self.passed(lambda: functions.list_functions(MaxItems=10_000))
        # The event of an invocation may be anything.
        outcome, broken = self.observe(lambda: functions.invoke(FunctionName="f", Payload=b"no JSON"))
        self.assertEqual((outcome.response["Error"]["Code"], broken), ("ResourceNotFoundException", {}))
        _, broken = self.observe(lambda: functions.invoke_async(FunctionName="f", InvokeArgs=b"{}"))
        self.assertEqual(broken, {})


class Validation(unittest.TestCase):
    def found(self, service: str, operation: str, **data) -> list[str]:
        return [str(fault) for fault in faults(service, operation, data)]

    def test_a_list_is_reported_once_with_all_constraints(self) -> None:
        (found,) = self.found("kms", "Encrypt", KeyId="k", Plaintext="eA==", GrantTokens=["", "t", "", "x" * 8193])
        self.assertEqual(
            found,
            "Value at 'grantTokens' failed to satisfy constraint: Member must satisfy constraint: "
            "[Member must have length less than or equal to 8192, Member must have length greater than or equal to 1]",
        )

    def test_a_null_is_absent(self) -> None:
        self.assertEqual(self.found("dynamodb", "DeleteTable", TableName="t", Unknown=None), [])
        (found,) = self.found("dynamodb", "DeleteTable", TableName=None)
        self.assertIn("Value null at 'tableName'", found)
        self.assertEqual(self.found("dynamodb", "Scan", TableName="t", Limit=None, IndexName=None), [])

    def test_text_is_measured_in_characters_and_blobs_in_bytes(self) -> None:
        self.assertEqual(self.found("secretsmanager", "CreateSecret", Name="é" * 512), [])
        self.assertEqual(len(self.found("secretsmanager", "CreateSecret", Name="é" * 513)), 1)
        self.assertEqual(self.found("kms", "Encrypt", KeyId="k", Plaintext="eHh4" * 1365 + "eA=="), [])
        self.assertEqual(len(self.found("kms", "Encrypt", KeyId="k", Plaintext="eHh4" * 1366)), 1)

    def test_nothing_secret_is_shown(self) -> None:
        (found,) = self.found("secretsmanager", "CreateSecret", Name="n", SecretString="s" * 65_537)
        self.assertTrue(found.startswith("Value at 'secretString'"), found)

    def test_at_most_ten_faults_are_reported(self) -> None:
        actions = [{"Put": {}}] * 6
        refusal = models.broken_model(Request("dynamodb", "TransactWriteItems", {"TransactItems": actions}))
        self.assertTrue(refusal.message.startswith("10 validation errors detected: "), refusal.message)
        self.assertEqual(refusal.message.count("Member must not be null"), 10)

    def test_items_are_not_looked_at(self) -> None:
        """Their depth has a rule of its own, and would be too much for recursive validators."""
        value = text("leaf")
        for _ in range(5000):
            value = {"L": [value]}
        name = "x" * 65_536
        self.assertEqual(self.found("dynamodb", "PutItem", TableName="t", Item={name: value}), [])
        self.assertIsNone(compiler("dynamodb").compile(service_model("dynamodb").shape_for("AttributeValue")))

    def test_types_are_left_for_the_emulator(self) -> None:
        for rule in models.RULES:
            model = service_model(rule.service)
            for operation in model.operation_names:
                shape = model.operation_model(operation).input_shape
                for wrong in (5, "x", True, 1.5, [3], {"a": 1}, [[None]], [{"a": None}], {"a": [5]}):
                    data = {member: wrong for member in shape.members} if shape else {}
                    # Some of these break constraints; none may raise an exception.
                    models.broken_model(Request(rule.service, operation, data))
        self.assertEqual(self.found("dynamodb", "Query", TableName=5, Limit="x", Select=[], KeyConditions="a"), [])

    def test_a_shape_may_contain_itself(self) -> None:
        shapes = {
            "Tree": {"type": "structure", "members": {"Name": {"shape": "Name"}, "Trees": {"shape": "Trees"}}},
            "Trees": {"type": "list", "member": {"shape": "Tree"}},
            "Name": {"type": "string", "max": 1},
        }
        validator = Compiler("forest").compile(ServiceModel({"metadata": {}, "shapes": shapes}).shape_for("Tree"))
        found: list[Fault] = []
        validator.validate({"Trees": [{}, {"Trees": [{"Name": "a"}, {"Name": "ab"}]}]}, (), found)
        self.assertEqual([".".join(fault.path) for fault in found], ["trees.2.member.trees.2.member.name"])

    def test_an_unknown_operation_has_no_rules(self) -> None:
        self.assertIsNone(validator_of("dynamodb", "NoOperation"))
        self.assertEqual(self.found("sqs", "", Anything=1), [])

    def test_the_patterns_that_are_not_applied_are_known(self) -> None:
        shapes = [
            (rule.service, name, service_model(rule.service).shape_for(name))
            for rule in models.RULES for name in service_model(rule.service).shape_names
        ]
        left = [(service, name) for service, name, shape in shapes if "pattern" in shape.metadata and not pattern_of(shape)]
        known = [
            ("dynamodb", "AutoScalingPolicyName"), ("dynamodb", "AutoScalingRoleArn"), ("lambda", "TagKey"),
            ("lambda", "TagValue"),
        ]
        self.assertEqual(left, known)


def sample(shape: Shape) -> object:
    """Returns a value of a shape, with all parts of it."""
    if isinstance(shape, StructureShape):
        return {name: sample(member) for name, member in shape.members.items()}
    if isinstance(shape, ListShape):
        return [sample(shape.member), sample(shape.member)]
    if isinstance(shape, MapShape):
        return {"one": sample(shape.value), "two": sample(shape.value)}
    return {"integer": 7, "long": 8, "boolean": True, "double": 0.5, "timestamp": 0, "blob": b"x"}.get(
        shape.type_name, "a/b c+é"
    )


def comparable(shape: Shape, value: object, is_json: bool) -> object:
    """Returns a sample as requests have it: only strings, lists, maps and integers keep their types outside of JSON."""
    if isinstance(shape, StructureShape):
        members = shape.members
        return {
            members[name].serialization.get("name", name): comparable(
                members[name], part, is_json and not members[name].serialization.get("location")
            )
            for name, part in value.items()
        }
    if isinstance(shape, ListShape):
        return [comparable(shape.member, part, is_json) for part in value]
    if isinstance(shape, MapShape):
        return {name: comparable(shape.value, part, is_json) for name, part in value.items()}
    if shape.type_name == "blob":
        return "eA=="
    if shape.type_name == "timestamp":
        return 0 if is_json else "1970-01-01T00:00:00Z"
    return "true" if value is True and not is_json else value


class Parsing(unittest.TestCase):
    """Requests that botocore serializes are parsed to the same input."""

    maxDiff = 4000

    def test_forms(self) -> None:
        model, serializer = service_model("sns"), create_serializer("query", include_validation=False)
        for name in model.operation_names:
            with self.subTest(name):
                operation = model.operation_model(name)
                given = sample(operation.input_shape) if operation.input_shape else {}
                body = urlencode(serializer.serialize_to_request(given, operation)["body"]).encode()
                expected = comparable(operation.input_shape, given, False) if operation.input_shape else {}
                self.assertEqual(parse_form("sns", body), (name, expected))

    def test_methods_and_paths(self) -> None:
        model, serializer = service_model("lambda"), create_serializer("rest-json", include_validation=False)
        for name in model.operation_names:
            with self.subTest(name):
                operation = model.operation_model(name)
                shape = operation.input_shape
                given = sample(shape) if shape else {}
                written = serializer.serialize_to_request(given, operation)
                query = urlencode(written["query_string"], doseq=True)
                joint = "&" if "?" in written["url_path"] else "?"
                target = f"{written['url_path']}{joint}{query}" if query else written["url_path"]
                call = parse_target("lambda", written["method"], target)
                self.assertEqual(call.operation.name, name)
                headers = {header.lower(): value for header, value in written["headers"].items()}
                expected = comparable(shape, given, True) if shape else {}
                if call.is_opaque:
                    expected[call.payload] = b""
                self.assertEqual(call.parse(headers, written["body"] or b""), expected)

    def test_other_targets_are_of_no_operation(self) -> None:
        for method, target in (("GET", "/"), ("PATCH", "/2015-03-31/functions"), ("GET", "/2015-03-31/functions/a/b/c")):
            self.assertIsNone(parse_target("lambda", method, target))
        self.assertEqual(parse_form("sns", b"\xff=%"), ("", {}))

    def test_text_that_is_no_number_stays_text(self) -> None:
        for given in ("", "-", "--1", "1.5", "x", "\u00b2", "9" * 5000):
            call = parse_target("lambda", "GET", "/2015-03-31/functions?" + urlencode({"MaxItems": given}))
            self.assertEqual(call.parse({}, b""), {"MaxItems": given})
            body = urlencode({"Action": "ListOriginationNumbers", "MaxResults": given}).encode()
            self.assertEqual(parse_form("sns", body)[1], {"MaxResults": given})

"""Tests of SQS's rules: for each, a request that is refused and one just within the limit."""

from .testing import KIB, GuardTest


class SqsRules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.sqs = self.client("sqs")
        self.queue = self.sqs.create_queue(QueueName="queue")["QueueUrl"]
        self.fifo = self.sqs.create_queue(
            QueueName="queue.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "true"}
        )["QueueUrl"]

    def send(self, queue: str | None = None, **more):
        return lambda: self.sqs.send_message(**{"QueueUrl": queue or self.queue, "MessageBody": "x", **more})

    def send_batch(self, *entries: dict, queue: str | None = None):
        full = [{"Id": str(at), "MessageBody": "x", **entry} for at, entry in enumerate(entries)]
        return lambda: self.sqs.send_message_batch(QueueUrl=queue or self.queue, Entries=full)

    def receive(self, **more):
        return lambda: self.sqs.receive_message(QueueUrl=self.queue, **more)

    def wrong(self, rule: str, call) -> None:
        self.refused(rule, "InvalidParameterValue", call)

    def fails(self, rule: str, code: str, call, failed: list[str], taken: list[str]) -> None:
        """Checks a batch of which only some entries fail."""
        answer, broken = self.observe(call)
        self.assertEqual(broken, {rule: 1})
        self.assertEqual([entry["Id"] for entry in answer.get("Successful", [])], taken)
        self.assertEqual(
            [(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in answer["Failed"]],
            [(i, code, True) for i in failed],
        )

    def test_sqs_batch_entries(self) -> None:
        rule, many = "sqs-batch-entries", "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
        self.refused(rule, many, self.send_batch(*({} for _ in range(11))))
        self.refused(rule, "AWS.SimpleQueueService.EmptyBatchRequest", self.send_batch())
        deletes = [{"Id": str(at), "ReceiptHandle": "x"} for at in range(11)]
        self.refused(rule, many, lambda: self.sqs.delete_message_batch(QueueUrl=self.queue, Entries=deletes))
        changes = [{**entry, "VisibilityTimeout": 1} for entry in deletes]
        self.refused(rule, many, lambda: self.sqs.change_message_visibility_batch(QueueUrl=self.queue, Entries=changes))
        self.assertEqual(len(self.passed(self.send_batch(*({} for _ in range(10))))["Successful"]), 10)

    def test_sqs_batch_ids(self) -> None:
        rule, wrong = "sqs-batch-ids", "AWS.SimpleQueueService.InvalidBatchEntryId"
        self.refused(rule, wrong, self.send_batch({"Id": "x" * 81}))
        self.refused(rule, wrong, self.send_batch({"Id": "a b"}))
        self.refused(rule, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", self.send_batch({"Id": "a"}, {"Id": "a"}))
        self.passed(self.send_batch({"Id": "x" * 80}, {"Id": "aA0_-"}))

    def test_sqs_batch_size(self) -> None:
        over = self.send_batch({"MessageBody": "x" * 600 * KIB}, {"MessageBody": "x" * (424 * KIB + 1)})
        self.refused("sqs-batch-size", "AWS.SimpleQueueService.BatchRequestTooLong", over)
        self.passed(self.send_batch({"MessageBody": "x" * 600 * KIB}, {"MessageBody": "x" * 424 * KIB}))

    def test_sqs_message_size(self) -> None:
        attributes = {"name": {"DataType": "String", "StringValue": "value"}}
        system = {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793"}}
        self.wrong("sqs-message-size", self.send(MessageBody="é" * 512 * KIB + "x"))
        self.wrong("sqs-message-size", self.send(MessageBody="x" * (KIB * KIB - 14), MessageAttributes=attributes))
        self.passed(
            self.send(MessageBody="x" * (KIB * KIB - 15), MessageAttributes=attributes, MessageSystemAttributes=system)
        )
        self.passed(self.send(MessageBody="é" * 512 * KIB))

    def test_sqs_message_characters(self) -> None:
        rule, code = "sqs-message-characters", "InvalidMessageContents"
        for character in ("\0", "\x0b", "\x1f", "\ufffe", "\uffff"):
            self.refused(rule, code, self.send(MessageBody=f"a{character}"))
        attributes = {"name": {"DataType": "String", "StringValue": "a\x01"}}
        self.refused(rule, code, self.send(MessageAttributes=attributes))
        self.fails(rule, code, self.send_batch({"MessageBody": "\x08"}, {}), ["0"], ["1"])
        self.passed(self.send(MessageBody="\t\n\r \ud7ff\ue000\ufffd\U00010000\U0010ffff"))

    def test_sqs_delay(self) -> None:
        self.wrong("sqs-delay", self.send(DelaySeconds=901))
        self.wrong("sqs-delay", self.send(DelaySeconds=-1))
        self.refused(
            "sqs-delay",
            "InvalidAttributeValue",
            lambda: self.sqs.create_queue(QueueName="slow", Attributes={"DelaySeconds": "901"}),
        )
        self.fails(
            "sqs-delay", "InvalidParameterValue", self.send_batch({}, {"DelaySeconds": 901}, {}), ["1"], ["0", "2"]
        )
        self.fails("sqs-delay", "InvalidParameterValue", self.send_batch({"DelaySeconds": 901}), ["0"], [])
        self.passed(self.send(DelaySeconds=900))
        self.passed(self.send_batch({"DelaySeconds": 900}))

    def test_sqs_fifo_delay(self) -> None:
        self.wrong("sqs-fifo-delay", self.send(self.fifo, MessageGroupId="g", DelaySeconds=1))
        late = self.send_batch({"MessageGroupId": "g", "DelaySeconds": 1}, {"MessageGroupId": "g"}, queue=self.fifo)
        self.fails("sqs-fifo-delay", "InvalidParameterValue", late, ["0"], ["1"])
        self.passed(self.send(self.fifo, MessageGroupId="g", DelaySeconds=0))

    def test_sqs_fifo_group(self) -> None:
        self.refused("sqs-fifo-group", "MissingParameter", self.send(self.fifo))
        self.fails(
            "sqs-fifo-group",
            "MissingParameter",
            self.send_batch({}, {"MessageGroupId": "g"}, queue=self.fifo),
            ["0"],
            ["1"],
        )
        self.passed(self.send(self.fifo, MessageGroupId="g"))
        self.passed(self.send())

    def test_sqs_group_id(self) -> None:
        self.wrong("sqs-group-id", self.send(MessageGroupId="x" * 129))
        self.wrong("sqs-group-id", self.send(MessageGroupId="a b"))
        self.wrong("sqs-group-id", self.send(self.fifo, MessageGroupId="é"))
        self.fails("sqs-group-id", "InvalidParameterValue", self.send_batch({"MessageGroupId": "é"}, {}), ["0"], ["1"])
        self.passed(self.send(MessageGroupId="x" * 128))
        self.passed(self.send(self.fifo, MessageGroupId="aZ0!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))

    def test_sqs_visibility_timeout(self) -> None:
        rule = "sqs-visibility-timeout"
        self.sqs.send_message(QueueUrl=self.queue, MessageBody="x")
        self.wrong(rule, self.receive(VisibilityTimeout=43_201))
        handle = self.passed(self.receive(VisibilityTimeout=43_200))["Messages"][0]["ReceiptHandle"]

        def change(seconds: int):
            return lambda: self.sqs.change_message_visibility(
                QueueUrl=self.queue, ReceiptHandle=handle, VisibilityTimeout=seconds
            )

        self.wrong(rule, change(43_201))
        self.wrong(rule, change(-1))
        self.passed(change(43_200))
        attributes = {"VisibilityTimeout": "43201"}
        self.refused(
            rule,
            "InvalidAttributeValue",
            lambda: self.sqs.set_queue_attributes(QueueUrl=self.queue, Attributes=attributes),
        )
        entries = [
            {"Id": name, "ReceiptHandle": handle, "VisibilityTimeout": time} for name, time in (("a", 43_201), ("b", 0))
        ]
        batch = lambda: self.sqs.change_message_visibility_batch(QueueUrl=self.queue, Entries=entries)  # noqa: E731
        self.fails(rule, "InvalidParameterValue", batch, ["a"], ["b"])

    def test_sqs_wait_time(self) -> None:
        self.wrong("sqs-wait-time", self.receive(WaitTimeSeconds=21))
        queue = {"QueueName": "long", "Attributes": {"ReceiveMessageWaitTimeSeconds": "21"}}
        self.refused("sqs-wait-time", "InvalidAttributeValue", lambda: self.sqs.create_queue(**queue))
        self.sqs.send_message(QueueUrl=self.queue, MessageBody="x")
        self.passed(self.receive(WaitTimeSeconds=20))

    def test_sqs_receive_count(self) -> None:
        self.wrong("sqs-receive-count", self.receive(MaxNumberOfMessages=11))
        self.wrong("sqs-receive-count", self.receive(MaxNumberOfMessages=0))
        self.passed(self.receive(MaxNumberOfMessages=10))

    def test_an_entry_that_fails_is_not_sent(self) -> None:
        self.send_batch({"MessageBody": "good"}, {"MessageBody": "bad", "DelaySeconds": 901})()
        received = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10)["Messages"]
        self.assertEqual([message["Body"] for message in received], ["good"])

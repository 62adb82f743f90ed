"""Tests of Secrets Manager's rules: for each, a request that is refused and one just within the limit."""

from .testing import GuardTest


class SecretsRules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.secrets = self.client("secretsmanager")

    def create(self, name: str, **more):
        return lambda: self.secrets.create_secret(**{"Name": name, "SecretString": "x", **more})

    def test_secrets_value_size(self) -> None:
        self.refused("secrets-value-size", "ValidationException", self.create("a", SecretString="é" * 32_768 + "x"))
        self.refused(
            "secrets-model",
            "ValidationException",
            lambda: self.secrets.create_secret(Name="a", SecretBinary=b"x" * 65_537),
        )
        self.passed(self.create("a", SecretString="é" * 32_768))
        put = lambda size: lambda: self.secrets.put_secret_value(SecretId="a", SecretString="x" * size)  # noqa: E731
        self.refused("secrets-model", "ValidationException", put(65_537))
        self.passed(put(65_536))

    def test_secrets_name(self) -> None:
        self.refused("secrets-model", "ValidationException", self.create("x" * 513))
        self.refused("secrets-name", "ValidationException", self.create("a b"))
        self.refused("secrets-name", "ValidationException", self.create("é"))
        self.passed(self.create("x" * 512))
        self.passed(self.create("aZ0/_+=.@-"))

    def test_secrets_token(self) -> None:
        for length in (31, 65):
            self.refused("secrets-model", "ValidationException", self.create("a", ClientRequestToken="x" * length))
        self.passed(self.create("a", ClientRequestToken="x" * 32))
        self.passed(self.create("b", ClientRequestToken="x" * 64))

    def test_secrets_recovery_window(self) -> None:
        self.create("a")()
        for days in (6, 31):
            delete = lambda: self.secrets.delete_secret(SecretId="a", RecoveryWindowInDays=days)  # noqa: B023, E731
            self.refused("secrets-recovery-window", "InvalidParameterException", delete)
        self.passed(lambda: self.secrets.delete_secret(SecretId="a", RecoveryWindowInDays=7))

"""The schema of a DynamoDB table: its keys, its indexes and its TTL attribute."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Index:
    """A secondary index: its key attributes with their roles. `attributes` is None if it projects all of them."""

    keys: dict[str, str]
    is_global: bool
    attributes: frozenset[str] | None


@dataclass(frozen=True)
class Schema:
    """The keys and indexes of a table, as DescribeTable returns them."""

    keys: dict[str, str]
    indexes: dict[str, Index]
    ttl: str | None = None

    @classmethod
    def of(cls, description: dict, ttl: str | None = None) -> "Schema":
        keys = roles(description)
        indexes = {}
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index in description.get(kind) or []:
                projection = index.get("Projection") or {}
                attributes = None
                if projection.get("ProjectionType") != "ALL":
                    attributes = frozenset([*keys, *roles(index), *(projection.get("NonKeyAttributes") or [])])
                indexes[index["IndexName"]] = Index(roles(index), kind.startswith("Global"), attributes)
        return cls(keys, indexes, ttl)


def roles(description: dict) -> dict[str, str]:
    return {key["AttributeName"]: key["KeyType"] for key in description["KeySchema"]}

"""Checks requests against the rules and records refusals."""

from dataclasses import dataclass, field

from .record import Record
from .request import Request
from .rule import Refusal
from .rules import rules_for


@dataclass(frozen=True)
class Verdict:
    """The result of the rules: a refusal of the whole request, or of batch entries by index."""

    refusal: Refusal | None = None
    entries: dict[int, Refusal] = field(default_factory=dict)


class Checker:
    def __init__(self, record: Record):
        self.record = record

    def check(self, request: Request, account: str) -> Verdict:
        entries: dict[int, Refusal] = {}
        for rule in rules_for(request.service, request.operation):
            try:
                refusal = rule.check(request)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                # The request is malformed: the emulator responds to it. It is listed, as the rule itself may be wrong.
                self.record.add("guard-fault", request, account, f"{rule.name}: {error!r}", False)
                continue
            if refusal is None:
                continue
            self.record.add(rule.name, request, account, refusal.message, rule.refused)
            if rule.refused and not refusal.entries:
                return Verdict(refusal)
            if rule.refused:
                for at, message in refusal.entries.items():
                    entries.setdefault(at, Refusal(refusal.code, message))
        return Verdict(None, entries)

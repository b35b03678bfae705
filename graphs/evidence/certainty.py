"""Whether the embedded assessment decides by itself, or a model should look a second time."""

from collections.abc import Sequence

from graphs.ask.records import Assessment, Language
from graphs.evidence.passages import Evidence
from graphs.policy import Policy

_LOOKED_AT = 3
"""Passages whose language is compared with the question's."""


def uncertain(
    evidence: Sequence[Evidence], language: Language, assessment: Assessment, policy: Policy
) -> bool:
    """Tell whether a second look may change what the assessment says of the evidence.

    It may between the two confidences of the policy, and wherever the best passages are in another
    language than the question: words then tell little, whatever the confidence.
    """
    if not evidence:
        return False
    if any(item.passage.language != language for item in evidence[:_LOOKED_AT]):
        return True
    return policy.sure_below <= assessment["confidence"] < policy.sure_from

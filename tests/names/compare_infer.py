"""All small inputs of every name rule: nomen_infer against the model.

usage: compare_infer.py [COUNT]    COUNT: so many questions of each family; else all
"""

import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from names import questions  # noqa: E402
from names.answer import answer  # noqa: E402
from names.library import Library  # noqa: E402
from names.model import Refused  # noqa: E402


def expected(op, lists, fields):
    """As infer.Library.ask answers."""
    try:
        results = answer(op, lists, **fields)
    except Refused as refused:
        return refused.kind, refused.text, refused.hint
    return "; ".join(" ".join(name or "*" for name in names) for names in results)


def compare(count=None, seed=1, families=None):
    """Counts of questions by rule, and what differs: [(op, lists, fields, expected, got)]."""
    library, chance = Library(), random.Random(seed)
    counted, wrong = Counter(), []
    for family in families or questions.families():
        drawn = questions.every(family) if count is None else questions.some(family, count, chance)
        for lists, fields in drawn:
            counted[family.rule] += 1
            wants = expected(family.op, lists, fields)
            got = library.ask(family.op, lists, **fields)
            if got != wants:
                wrong.append((family.op, lists, fields, wants, got))
    return counted, wrong


def few_of_each(wrong, most=3):
    """The first ones of each operation."""
    told = Counter()
    for case in wrong:
        told[case[0]] += 1
        if told[case[0]] <= most:
            yield case


def main():
    counted, wrong = compare(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    for rule, number in counted.items():
        print(f"{rule:18}{number:10}")
    for op, lists, fields, wants, got in few_of_each(wrong):
        print(f"{op} {lists} {fields}\n    expected {wants}\n    got      {got}")
    print(
        f"figure: questions about names that nomen and the model answered: {sum(counted.values())}"
    )
    print(f"figure: answers about names that differed: {len(wrong)}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

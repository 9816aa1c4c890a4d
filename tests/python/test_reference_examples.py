"""The examples of PyTorch's page of named tensors, as they stand there, with nomen as `torch`."""

import pytest

import nomen as torch

# What is typed, what is printed for the last line; errors with the line breaks of that page.
EXAMPLES = {
    "keeps input names": (
        """
        x = torch.randn(3, 3, names=('N', 'C'))
        x.abs().names
        """,
        "('N', 'C')",
    ),
    "squeeze removes a dim": (
        """
        x = torch.randn(1, 3, 3, 3, names=('N', 'C', 'H', 'W'))
        x.squeeze('N').names
        """,
        "('C', 'H', 'W')",
    ),
    "sum removes dims": (
        """
        x = torch.randn(3, 3, 3, 3, names=('N', 'C', 'H', 'W'))
        x.sum(['N', 'C']).names
        """,
        "('H', 'W')",
    ),
    "keepdim removes none": (
        """
        x = torch.randn(3, 3, 3, 3, names=('N', 'C', 'H', 'W'))
        x.sum(['N', 'C'], keepdim=True).names
        """,
        "('N', 'C', 'H', 'W')",
    ),
    "unifies names": (
        """
        tensor = torch.randn(3, 3, names=('N', None))
        other = torch.randn(3, 3, names=(None, 'C'))
        (tensor + other).names
        """,
        "('N', 'C')",
    ),
    "names do not match": (
        """
        tensor = torch.randn(3, 3, names=('N', 'C'))
        other = torch.randn(3, names=('N',))
        (tensor + other).names
        """,
        """RuntimeError: Error when attempting to broadcast dims ['N', 'C'] and dims
        ['N']: dim 'C' and dim 'N' are at the same position from the right but do
        not match.""",
    ),
    "names are not aligned": (
        """
        tensor = torch.randn(3, 3, names=('N', None))
        other = torch.randn(3, names=('N',))
        (tensor + other).names
        """,
        """RuntimeError: Misaligned dims when attempting to broadcast dims ['N'] and
        dims ['N', None]: dim 'N' appears in a different position from the right
        across both lists.""",
    ),
    "permutes dims": (
        """
        x = torch.randn(3, 3, names=('N', 'C'))
        x.transpose('N', 'C').names
        """,
        "('C', 'N')",
    ),
    "mm contracts": (
        """
        x = torch.randn(3, 3, names=('N', 'D'))
        y = torch.randn(3, 3, names=('in', 'out'))
        x.mm(y).names
        """,
        "('N', 'out')",
    ),
    "mv contracts": (
        """
        x = torch.randn(3, 3, names=('N', 'D'))
        y = torch.randn(3, names=('something',))
        x.mv(y).names
        """,
        "('N',)",
    ),
    "matmul unifies batches": (
        """
        x = torch.randn(3, 3, 3, 3, names=('A', 'B', 'C', 'D'))
        y = torch.randn(3, 3, 3, names=('B', 'E', 'F'))
        torch.matmul(x, y).names
        """,
        "('A', 'B', 'C', 'F')",
    ),
    "factories take names": (
        "torch.zeros(2, 3, names=('N', 'C'))",
        """tensor([[0., 0., 0.],
        [0., 0., 0.]], names=('N', 'C'))""",
    ),
    "in place, before": (
        """
        x = torch.randn(3, 3)
        y = torch.randn(3, 3, names=('N', 'C'))
        x.names
        """,
        "(None, None)",
    ),
    "in place, after": (
        """
        x = torch.randn(3, 3)
        y = torch.randn(3, 3, names=('N', 'C'))
        x += y
        x.names
        """,
        "('N', 'C')",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    typed, printed = EXAMPLES[name]
    *first, last = [line.strip() for line in typed.strip().splitlines()]
    space = {"torch": torch}
    try:
        exec("\n".join(first), space)
        got = repr(eval(last, space))
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    assert got.split() == printed.split()

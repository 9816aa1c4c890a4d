"""pytest.raises with the whole text: the notes that say which call it was are not part of it."""

import contextlib

import pytest


@contextlib.contextmanager
def raises(kind, text):
    with pytest.raises(kind) as info:
        yield info
    assert type(info.value) is kind
    assert str(info.value) == text
    assert info.value.args == (text,)

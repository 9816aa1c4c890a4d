"""The types of results that are pairs: nomen.return_types.max and so on."""

from nomen import _C


def _repr(self):
    fields = ",\n".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__module__}.{type(self).__qualname__}(\n{fields})"


_TEXT = """What {name} gives: the pair ({fields}), whose items have these names too.

Errors: as of {name}.

Example:
    >>> nomen.{name}({arguments}).{last}.shape
    {shape}
"""
_ARGUMENTS = {"kthvalue": "nomen.ones(3), 1", "topk": "nomen.ones(3), 2", "sort": "nomen.ones(3)"}

for _name, _type in _C._return_types.items():
    _type.__repr__ = _repr
    _type.__doc__ = _TEXT.format(
        name=_name,
        fields=", ".join(_type.__match_args__),
        last=_type.__match_args__[-1],
        arguments=_ARGUMENTS.get(_name, "nomen.ones(3), dim=0"),
        shape={"topk": "nomen.Size([2])"}.get(
            _name, f"nomen.Size([{3 if _name in ('sort', 'cummax', 'cummin') else ''}])"
        ),
    )

globals().update(_C._return_types)
__all__ = sorted(_C._return_types)

"""The types of results that are pairs: nomen.return_types.max and so on."""

from nomen import _C


def _repr(self):
    fields = ",\n".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__module__}.{type(self).__qualname__}(\n{fields})"


for _type in _C._return_types.values():
    _type.__repr__ = _repr

globals().update(_C._return_types)
__all__ = sorted(_C._return_types)

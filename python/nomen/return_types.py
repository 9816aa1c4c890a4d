"""The types of results that are pairs: nomen.return_types.max and so on."""

from nomen import _C

globals().update(_C._return_types)
__all__ = sorted(_C._return_types)

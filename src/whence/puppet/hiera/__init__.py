"""Hiera 5: data outside of the code, looked up by key through layers of files.

`config` reads `hiera.yaml` (versions 5 and 4), `files` reads YAML and JSON with a place for every value, `interpolate`
fills in `%{...}`, `merging` joins what several files say, `lookup` is the search itself. An environment has one `Data`;
each compilation asks it through a `Search` of its own.
"""

from __future__ import annotations

from .lookup import Data

__all__ = ["Data"]

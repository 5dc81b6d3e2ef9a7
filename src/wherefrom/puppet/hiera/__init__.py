"""Hiera 5: data outside of the code, looked up by key through layers of files.

`config` reads `hiera.yaml` (versions 5, 4 and 3), `files` reads YAML and JSON with a place for every value and `hocon`
HOCON, `keys` takes keys apart, `interpolate` fills in `%{...}`, `merging` joins what several files say, `levels` asks
one level, `lookup` is the search itself. An environment has one `Data`; each compilation asks it through `Searches`.
"""

from __future__ import annotations

from .lookup import Data

__all__ = ["Data"]

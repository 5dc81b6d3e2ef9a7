"""Asks real Nix about the configurations of `tests/cases/nix/home` and keeps the answers as goldens.

.venv/bin/python tests/oracle/record_nix_home.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.nix_home import GOLDENS, nix_answers

if __name__ == "__main__":
    GOLDENS.write_text(json.dumps(nix_answers(), indent=1, ensure_ascii=True, sort_keys=True) + "\n")

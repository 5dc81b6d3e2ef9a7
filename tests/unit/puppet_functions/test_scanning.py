"""`scanf` reads as Ruby's library does (its documentation, "Conversions" and "Matching")."""

from __future__ import annotations

import pytest

from wherefrom.puppet.functions.scanning import scan


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        ("42 apples", "%d %s", [42, "apples"]),
        ("42", "%i", [42]),
        ("0x1f 017 9", "%i %i %i", [31, 15, 9]),
        ("ff 0xff", "%x %x", [255, 255]),
        ("17", "%o", [15]),
        ("1.5 2e3 -.5", "%f %f %f", [1.5, 2000.0, -0.5]),
        ("abc", "%c%c", ["a", "b"]),
        ("abcdef", "%3c%s", ["abc", "def"]),
        ("abc123", "%[a-z]%d", ["abc", 123]),
        ("key=value", "%[^=]=%s", ["key", "value"]),
        ("12345", "%2d%d", [12, 345]),
        ("1 2 3", "%d %*d %d", [1, 3]),
        ("50%", "%d%%", [50]),
        ("abc", "%d", []),
        ("1 x", "%d %d", [1]),
        ("", "%d", []),
        ("a:1", "a:%d", [1]),
        ("b:1", "a:%d", []),
        ("  7", "%d", [7]),
        ("-7 +8", "%d %d", [-7, 8]),
    ],
)
def test_scan(text: str, format: str, expected: list[object]) -> None:
    """Values are read as long as they fit."""
    assert scan(text, format) == expected

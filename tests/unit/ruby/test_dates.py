"""How times and dates are written, and dates with offsets: recorded from Ruby 3.1."""

from __future__ import annotations

import pytest

from support.ruby_programs import ask_wherefrom

SAID = {
    "Time.utc(2020, 2, 9, 1).strftime('%+|%Q|%Ey|%Od|%:d')": '"%+|%Q|20|09|%:d"',
    "Time.new(2020, 2, 9, 1, 0, 0, '+05:30').strftime('%:z|%::z|%:::z')": '"+05:30|+05:30:00|+05:30"',
    "Time.utc(2020, 2, 9, 1).strftime('%:::z|%#a|%#p|%#Z|%#c')": '"+00|SUN|am|utc|Sun Feb  9 01:00:00 2020"',
    "Time.utc(2020, 2, 9, 1).strftime('%_0d|%0_d|%-r|%1j|%12N|%F')": '"09| 9|01:00:00 AM|40|000000000000|2020-02-09"',
    "Time.utc(800, 1, 1).strftime('%F|%c|%C')": '"0800-01-01|Sat Jan  1 00:00:00 0800|08"',
    "DateTime.new(2021, 12, 31, 23, 1, 2, '+02:00').to_time.to_i": "1640984462",
    "DateTime.new(2021, 12, 31, 23, 1, 2, '+02:00').strftime('%s %z %Z %Q')": '"1640984462 +0200 +02:00 1640984462000"',
    "(DateTime.new(2021, 12, 31, 23) + 0.5).to_s": '"2022-01-01T11:00:00+00:00"',
    "Date.new(2020, 2, 9).strftime('%+')": '"Sun Feb  9 00:00:00 +00:00 2020"',
    "(Date.parse('zz') rescue 'none')": '"none"',
}
REFUSED = (
    "Date.parse('Jan 5 2020')",
    "Date.strptime('03/04/2020', '%d/%m/%Y')",
    "DateTime.new(2020, 1, 1, 12) - DateTime.new(2020, 1, 1)",
    "Date.new(2020, 1, 1) + 0.5",
    "DateTime.new(2020, 1, 1, 1, 1, 1, 0.5)",
)


@pytest.mark.parametrize("text", SAID)
def test_what_ruby_gives(text: str) -> None:
    """Directives with flags, widths, colons and modifiers; offsets count."""
    assert ask_wherefrom("ruby", f"require 'date'; {text}") == ["ok", SAID[text]]


@pytest.mark.parametrize("text", REFUSED)
def test_what_we_do_not_read_is_refused(text: str) -> None:
    """Not answered with a date or a number that is nearly right, nor with an error that Ruby does not raise."""
    assert ask_wherefrom("ruby", f"require 'date'; {text}")[0] == "refused"

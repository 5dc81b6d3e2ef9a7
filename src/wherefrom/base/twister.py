"""The Mersenne Twister as Ruby seeds it.

Ruby seeds the generator with one 32-bit word by `init_genrand`, with more by `init_by_array` (Matsumoto and Nishimura,
"Mersenne Twister", 1998; Ruby 3.1, random.c). A highest word that is 1 is taken for a guard of leading zeros and left
out. The generator itself is Python's own.
"""

from __future__ import annotations

from random import Random

_LENGTH = 624
_WORD = 0xFFFFFFFF


def seeded(seed: int) -> Random:
    """`Random.new(seed)` of Ruby: its `getrandbits(32)` gives Ruby's words.

    >>> seeded(42).getrandbits(32)
    1608637542
    """
    number = abs(seed)
    words = [(number >> shift) & _WORD for shift in range(0, max(number.bit_length(), 1), 32)]
    if len(words) > 1 and words[-1] == 1:
        words.pop()
    if len(words) > 1 and words[-1]:
        # Python seeds with the words of a number by `init_by_array`, and knows no leading zeros.
        return Random(sum(word << (32 * at) for at, word in enumerate(words)))
    generator = Random(0)
    state = _by_word(words[0]) if len(words) == 1 else _by_array(words)
    generator.setstate((3, (*state, _LENGTH), None))
    return generator


def _by_word(word: int) -> list[int]:
    """`init_genrand`"""
    state = [word]
    for index in range(1, _LENGTH):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + index) & _WORD)
    return state


def _by_array(key: list[int]) -> list[int]:
    """`init_by_array`"""
    state = _by_word(19650218)
    at = 1

    def turn(factor: int, more: int) -> None:
        nonlocal at
        before = state[at - 1]
        state[at] = ((state[at] ^ ((before ^ (before >> 30)) * factor)) + more) & _WORD
        at += 1
        if at == _LENGTH:
            state[0] = state[-1]
            at = 1

    for step in range(max(_LENGTH, len(key))):
        place = step % len(key)
        turn(1664525, key[place] + place)
    for _ in range(_LENGTH - 1):
        turn(1566083941, -at)
    state[0] = 0x80000000
    return state

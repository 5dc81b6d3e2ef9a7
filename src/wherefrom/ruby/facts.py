"""What the compilers assume of a method by its name, before they know the receiver: one table for all of them.

A program is compiled before it runs, so a call `x.map { ... }` is known by its name alone. Most names of Ruby's own
methods mean the same in every class that has them, and what is known of such a name makes programs faster and origins
finer. Where Ruby code of the program defines a method of such a name, it is that method that runs, and the compilers
see so when it is called (`Method.written`).

A name that is forgotten costs time or precision, but for the first two sets: what is not in these is taken to change
nothing. `tests/unit/ruby/test_facts.py` holds them equal to what the methods say of themselves (`mutates=True`).

    fact                  read by     used for
    CHANGES_TEXT          parser      a file without such a call needs no strings that can change
    KEEPS_NOTHING         calling     a literal argument needs no box of its own
    INDEPENDENT_BLOCK     tracked     what a block is given depends on its element, not on earlier rounds
    CHANGES_RECEIVER      tracked     what the receiver holds afterwards depends on what was read before
    JUMPS, HARMLESS       tracked     whether code that comes later depends on a call in a branch
    MAKES_TEXT, OTHER_ELEMENTS, MAKES_NOTHING
                          making      what a new object was made of
"""

from __future__ import annotations

CHANGES_TEXT = frozenset(
    "<< concat replace insert prepend clear upcase! downcase! capitalize! swapcase! reverse! strip! lstrip! rstrip!"
    " chomp! chop! squeeze! tr! tr_s! delete! gsub! sub! slice! succ! next! force_encoding encode! unicode_normalize!"
    " setbyte delete_prefix! delete_suffix! scrub! []= append_as_bytes".split()
)
"""Methods that change a string in place: a file without them never needs a string that can change."""

CHANGES_RECEIVER = CHANGES_TEXT | frozenset(
    "push append pop shift unshift insert concat delete delete_at delete_if keep_if select! reject! filter! map!"
    " collect! sort! sort_by! uniq! compact! flatten! reverse! rotate! shuffle! fill clear replace merge! update store"
    " delete? slice! transform_values! transform_keys! add add? subtract merge []= instance_variable_set".split()
)
"""Methods that change what they are called on: those that `mutates=True` says so of, and two that set by name."""

KEEPS_NOTHING = frozenset(
    "== != [] fetch key? has_key? include? start_with? end_with? =~ match match? join split sub gsub + % <=> === dig"
    " member? lookupvar has_variable? count index warn puts require eql? tr delete"
    " center ljust rjust scan partition rpartition < > <= >= is_a? kind_of? nil? empty? size length to_s".split()
)
"""Methods that do not keep the strings they are given: a literal among their arguments needs no box."""

INDEPENDENT_BLOCK = frozenset(
    "each each_pair map collect select filter reject each_with_index each_key each_value sort_by group_by partition"
    " flat_map filter_map times upto downto step find_all transform_values transform_keys each_line each_char min_by"
    " max_by uniq sum each_index to_h count each_slice each_cons reverse_each tap then map! collect! each_entry".split()
)
"""Methods whose block gets no more from earlier rounds than the elements of the receiver."""

JUMPS = frozenset("raise fail throw exit abort".split())
"""Methods that end what is being run."""

HARMLESS = frozenset(
    "lambda proc block_given? format sprintf Integer Float String Array Hash puts print require defined? freeze p warn"
    " lookupvar has_variable? scope".split()
)
"""Methods without a receiver that change nothing which stands outside of the call."""

MAKES_TEXT = frozenset("join inspect to_s to_json to_yaml pack sum size length count".split())
"""Methods of containers that make a new text or number; the others give an element."""

OTHER_ELEMENTS = frozenset(
    "map collect flat_map collect_concat filter_map transform_values transform_keys each_with_object inject reduce sum"
    " each_with_index tally to_set zip product combination permutation each_slice each_cons each_index then yield_self"
    " size length count hash keys".split()
)
"""Methods whose result has other elements than the receiver, or others beside them."""

MAKES_NOTHING = frozenset(
    "each each_pair each_key each_value each_with_index is_a? kind_of? instance_of? class to_sym nil? freeze dup clone"
    " [] dig fetch first last new lookupvar function call_function == != < > <= >= <=> === =~ !~ ! push".split()
)
"""Methods that make nothing new, or nothing that recordings are about."""

FROM_OUTSIDE = frozenset("lookupvar has_variable? function call_function scope".split())
"""Names in these sets that are methods of what a host offers, not of Ruby."""

SYNTAX = frozenset("block_given? defined? lambda proc abort exit setbyte".split())
"""Names in these sets that are part of the language, or that are refused."""

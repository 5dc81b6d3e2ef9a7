"""Regular expressions that can not take for ever: one matcher, and two notations for it.

    base.regex.compile_regex(r"(?<name>\\h+)\\z")     Ruby's notation and rules (Onigmo): Puppet and Ruby
    base.regex.posix.compile_regex("([a-z]+)-([0-9]+)")  POSIX extended, as Nix's C++ library understands it

    ruby_syntax, posix_syntax  ->  tree  ->  Python's `re`, where `ambiguity` says that it is quick
                                         ->  machine: states and a memory;  automaton: yes or no

Configurations are written by strangers, and so are their patterns: a match must end soon whatever the pattern. No
library that we know serves. RE2 and Rust's `regex` (with their bindings for Python) take linear time, but have neither
look-around nor back-references nor atomic groups, which Puppet's modules use, nor C++'s choice among matches, which
`builtins.split` shows; Python's `re` and `regex`, PCRE2 and Onigmo itself have all that and backtrack without bound
(`regex` can stop after a time, so that the answer depends on the machine). Look-around within a bound on work is what
the matcher here has: what was tried is remembered (cf. Davis, Servant and Lee, "Using selective memoization to defeat
regular expression denial of service", 2021). It is slower than the others by far, so it is used only where they could
fail.
"""

from .ruby import RubyRegex, compile_regex
from .tree import BadRegex, RegexTooHard, RegexTooLarge

__all__ = ["BadRegex", "RegexTooHard", "RegexTooLarge", "RubyRegex", "compile_regex"]

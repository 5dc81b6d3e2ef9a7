"""Random types and values in Puppet's notation, for comparing our type system with the real one."""

from __future__ import annotations

from random import Random

LEAVES = """
Any Undef Default Scalar ScalarData Numeric Integer Float String Boolean Regexp Enum Pattern Data RichData Collection
Array Hash Tuple Struct Callable Type Iterable CatalogEntry Class Resource Sensitive Timespan SemVer Optional NotUndef
""".split()
WORDS = ["a", "b", "ab", "abc", "A", "x::y", ""]


class Texts:
    """Makes texts of types and values from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def bound(self) -> str:
        """An end of a range."""
        return self.random.choice(["default", "0", "1", "2", "3", "5"])

    def range(self) -> str:
        """A range whose ends are the right way round."""
        low, high = self.bound(), self.bound()
        if "default" not in (low, high) and int(low) > int(high):
            low, high = high, low
        return self.random.choice([low, f"{low}, {high}"])

    def word(self) -> str:
        """A string that is not empty, quoted."""
        return f"'{self.random.choice(WORDS[:-1])}'"

    def type(self, depth: int = 3) -> str:
        """A type."""
        pick = self.random.random()
        if depth <= 0 or pick < 0.25:
            return self.random.choice(LEAVES)
        inner = depth - 1
        match self.random.randrange(20):
            case 0 | 1:
                return f"Integer[{self.range()}]"
            case 2:
                return f"String[{self.range()}]"
            case 3:
                return f"Enum[{', '.join(self.word() for _ in range(self.random.randint(1, 3)))}]"
            case 4:
                return f"Pattern[{self.random.choice(['/a/', '/^b/', '/b/, /c$/'])}]"
            case 5 | 6:
                return f"Array[{self.type(inner)}{self.random.choice(['', ', ' + self.range()])}]"
            case 7 | 8:
                return f"Hash[{self.type(0)}, {self.type(inner)}{self.random.choice(['', ', ' + self.range()])}]"
            case 9 | 10:
                members = ", ".join(self.type(inner) for _ in range(self.random.randint(1, 3)))
                return f"Tuple[{members}{self.random.choice(['', ', ' + self.range()])}]"
            case 11 | 12 | 13:
                return f"Struct[{{{', '.join(self.member(name, inner) for name in self.names())}}}]"
            case 14 | 15:
                return f"Variant[{', '.join(self.type(inner) for _ in range(self.random.randint(1, 3)))}]"
            case 16 | 17:
                return f"Optional[{self.type(inner)}]"
            case 18:
                return f"NotUndef[{self.type(inner)}]"
        return self.random.choice([f"Type[{self.type(inner)}]", f"Sensitive[{self.type(inner)}]", "Boolean[true]"])

    def names(self) -> list[str]:
        """The keys of a struct."""
        return self.random.sample(["a", "b", "c"], self.random.randint(1, 3))

    def member(self, name: str, depth: int) -> str:
        """An entry of a struct."""
        key = self.random.choice([name, name, f"Optional[{name}]", f"NotUndef[{name}]"])
        return f"{key} => {self.type(depth)}"

    def value(self, depth: int = 3) -> str:
        """A value."""
        pick = self.random.random()
        if depth <= 0 or pick < 0.5:
            return self.random.choice(
                ["undef", "default", "true", "false", "0", "1", "3", "-2", "1.5", "/a/", "Integer", "String[1]"]
                + [f"'{each}'" for each in WORDS]
                + ["Sensitive(1)", "Timespan(5)", "SemVer('1.2.3')", "File['/a']"]
            )
        if pick < 0.75:
            return f"[{', '.join(self.value(depth - 1) for _ in range(self.random.randint(0, 3)))}]"
        keys = self.random.sample(["a", "b", "c", "1", "'x y'"], self.random.randint(0, 3))
        return "{" + ", ".join(f"{key} => {self.value(depth - 1)}" for key in keys) + "}"

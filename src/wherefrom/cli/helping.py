"""Help that is about the command at hand: options by language, and none of a language that the command is not for.

Shared options say at the end of their help whose they are: `(Puppet)`, `(Nix)`, `(SmartFrog)`. A command names its
languages; options of others are taken all the same, but not listed.
"""

from __future__ import annotations

import re

import click

LANGUAGES = ("Puppet", "Nix", "SmartFrog")
_MARK = re.compile(r" ?\((Puppet|Nix|SmartFrog)\)")


class LanguageCommand(click.Command):
    """A command whose options are listed by language."""

    languages: tuple[str, ...] = LANGUAGES

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: those of the command first, then those of each of its languages."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                name, words = record
                mark = _MARK.search(words)
                language = mark[1] if mark else ""
                groups.setdefault(language, []).append((name, _MARK.sub("", words) if mark else words))
        for language in ("", *self.languages):
            if groups.get(language):
                with formatter.section(f"Options for {language}" if language else "Options"):
                    formatter.write_dl(groups[language])


class PuppetCommand(LanguageCommand):
    """A command that is about Puppet alone."""

    languages = ("Puppet",)


class StoreCommand(LanguageCommand):
    """A command that is about catalogs and stores: Nix has `eval`."""

    languages = ("Puppet", "SmartFrog")

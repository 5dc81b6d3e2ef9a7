"""The table of Puppet's issues that have a name, with Puppet's own words, and the diagnostic made of one.

People search for these messages and tools compare them, so they are part of the interface and equal to Puppet's, letter
by letter. An `Issue` joins our stable code (`P0xx`), Puppet's issue code (`SYNTAX_ERROR`, `NOT_RVALUE`, ...) and
the wording with its gaps; `PuppetError` is an occurrence of one at a place. New issues are added with `issue(...)`,
which refuses a code or a name that is taken; the front end uses P010 to P099 and leaves the rest to the compiler.

    NOT_RVALUE = issue("P056", "NOT_RVALUE", "Invalid use of expression. {what} does not produce a value")
    raise PuppetError(NOT_RVALUE, node.at, what=a_an_uc(node.text_of()))

The labels of constructs ("'+' expression", "Resource Statement") come from the tree; `a_an` puts Puppet's article
before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import ERROR, WARNING, Diagnostic, Label

if TYPE_CHECKING:
    from ...base.source import Span

DEPRECATION = "deprecation"


class Issue:
    """A kind of trouble: our code, Puppet's name for it and its words, with `{gaps}` for the arguments."""

    __slots__ = ("code", "help", "name", "wording")

    def __init__(self, code: str, name: str, wording: str, help: str | None = None) -> None:
        self.code = code
        self.name = name
        self.wording = wording
        self.help = help

    def words(self, **arguments: object) -> str:
        """The message for these arguments."""
        return self.wording.format(**arguments) if arguments else self.wording

    def __repr__(self) -> str:
        return f"Issue({self.code} {self.name})"


ISSUES: dict[str, Issue] = {}
"""Every issue, by our code."""


def issue(code: str, name: str, wording: str, help: str | None = None) -> Issue:
    """Enter an issue into the table.  Without arguments the wording is used as it is, braces included."""
    if code in ISSUES:
        raise ValueError(f"{code} is taken by {ISSUES[code].name}")
    ISSUES[code] = numbered = Issue(code, name, wording, help)
    return numbered


class PuppetError(Diagnostic):
    """An occurrence of an issue.  `issue_code` is Puppet's name for it; `severity` may make it a warning.

    `reported` says how much of the place Puppet tells: all (`place`), the file alone (end of input) or `nothing`;
    people get the place all the same.
    `file_name` is the name of the file when there is no place at all.
    """

    def __init__(
        self,
        issue: Issue,
        *labels: Label | Span | None,
        severity: str = ERROR,
        notes: Sequence[str] = (),
        help: str | None = None,
        reported: str = "place",
        file_name: str | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(issue.words(**arguments), *labels, notes=notes, help=help or issue.help)
        self.issue = issue
        self.code = issue.code  # one class for many codes: the issue has it
        self.arguments = arguments
        self.severity = WARNING if severity == DEPRECATION else severity
        self.deprecation = severity == DEPRECATION
        self.reported = reported
        self.file_name = file_name
        self.checker: str | None = None  # the issue code of the checker of a heredoc's text

    @property
    def issue_code(self) -> str | None:
        """Puppet's name of the issue; nothing for the few errors that it raises without one."""
        return self.checker or self.issue.name or None

    @property
    def puppet_place(self) -> tuple[str | None, int | None, int | None]:
        """File, line and column as Puppet reports them."""
        span = self.span
        if span is None:
            return self.file_name, None, None
        if self.reported != "place":
            return span.file.name if self.reported == "file" else None, None, None
        return (span.file.name, *span.file.line_and_column(span.start))


def a_an(label: str) -> str:
    """`label` with its article, as Puppet chooses it: a leading quote is skipped and `y` counts as a vowel."""
    letter = label[1:2] if label[:1] in ('"', "'") else label[:1]
    return f"{'an' if letter.lower() in 'aeiouy' else 'a'} {label}"


def a_an_uc(label: str) -> str:
    """As `a_an`, at the beginning of a sentence."""
    words = a_an(label)
    return words[0].upper() + words[1:]


def location(file: str | None, line: int | None, column: int | None) -> str:
    """`(file: F, line: L, column: C)` with what is known, as Puppet appends it to messages."""
    parts = [("file", file), ("line", line), ("column", column)]
    known = ", ".join(f"{name}: {value}" for name, value in parts if value)
    return f"({known})" if known else ""


def full_message(problem: PuppetError) -> str:
    """The message with its place, as Puppet prints a parse error."""
    return " ".join(part for part in (problem.message, location(*problem.puppet_place)) if part)


def verdict(problems: Sequence[Diagnostic]) -> PuppetError | None:
    """The one error that Puppet raises for these problems: the only one, or "logged N errors. Giving up"."""
    errors = [problem for problem in problems if problem.severity == ERROR and isinstance(problem, PuppetError)]
    if not errors:
        return None
    first = errors[0]
    if len(errors) == 1 or any(error.code < LANGUAGE_VALIDATION.code for error in errors):
        return first
    warnings = sum(
        1 for problem in problems if problem.severity == WARNING and problem.code >= LANGUAGE_VALIDATION.code
    )
    also = f", and {warnings} warnings" if warnings else ""
    file = first.span.file.name if first.span else first.file_name
    return PuppetError(LANGUAGE_VALIDATION, count=len(errors), also=also, file_name=file)


# --- the lexer --------------------------------------------------------------------------------------------------------

ILLEGAL_CLASS_REFERENCE = issue("P010", "ILLEGAL_CLASS_REFERENCE", "Illegal class reference")
ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE = issue(
    "P011", "ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE", "Illegal fully qualified class reference"
)
ILLEGAL_FULLY_QUALIFIED_NAME = issue("P012", "ILLEGAL_FULLY_QUALIFIED_NAME", "Illegal fully qualified name")
ILLEGAL_NUMBER = issue("P014", "ILLEGAL_NUMBER", "Illegal number '{value}'")
NUMBER_TOO_LARGE = issue(
    "P098", "NUMBER_TOO_LARGE", "Internal Error, NUMBER token does not contain a valid number, {value}"
)
INVALID_HEX_NUMBER = issue("P015", "INVALID_HEX_NUMBER", "Not a valid hex number {value}")
INVALID_OCTAL_NUMBER = issue("P016", "INVALID_OCTAL_NUMBER", "Not a valid octal number {value}")
INVALID_DECIMAL_NUMBER = issue("P017", "INVALID_DECIMAL_NUMBER", "Not a valid decimal number {value}")
UNCLOSED_QUOTE = issue("P018", "UNCLOSED_QUOTE", "Unclosed quote after {after} followed by '{followed_by}'")
UNCLOSED_MLCOMMENT = issue("P019", "UNCLOSED_MLCOMMENT", "Unclosed multiline comment")
ILLEGAL_UNICODE_ESCAPE = issue(
    "P020",
    "ILLEGAL_UNICODE_ESCAPE",
    "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff",
)
UNRECOGNIZED_ESCAPE = issue("P021", "UNRECOGNIZED_ESCAPE", "Unrecognized escape sequence '\\{ch}'")
HEREDOC_UNCLOSED_PARENTHESIS = issue(
    "P022", "HEREDOC_UNCLOSED_PARENTHESIS", "Unclosed parenthesis after '@(' followed by '{followed_by}'"
)
HEREDOC_WITHOUT_END_TAGGED_LINE = issue("P023", "HEREDOC_WITHOUT_END_TAGGED_LINE", "Heredoc without end-tagged line")
HEREDOC_INVALID_ESCAPE = issue(
    "P024",
    "HEREDOC_INVALID_ESCAPE",
    "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{actual}'",
)
HEREDOC_INVALID_SYNTAX = issue(
    "P025", "HEREDOC_INVALID_SYNTAX", "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])"
)
HEREDOC_WITHOUT_TEXT = issue("P026", "HEREDOC_WITHOUT_TEXT", "Heredoc without any following lines of text")
HEREDOC_EMPTY_ENDTAG = issue("P027", "HEREDOC_EMPTY_ENDTAG", "Heredoc with an empty endtag")
HEREDOC_MULTIPLE_AT_ESCAPES = issue(
    "P028", "HEREDOC_MULTIPLE_AT_ESCAPES", "An escape char for @() may only appear once. Got '{escapes}'"
)
ILLEGAL_BOM = issue(
    "P029",
    "ILLEGAL_BOM",
    "Illegal {format} Byte Order mark at beginning of input: {bom} - remove these from the puppet source",
)
EPP_UNBALANCED_TAG = issue("P030", "EPP_UNBALANCED_TAG", "Unbalanced epp tag, reached <eof> without closing tag.")
EPP_UNBALANCED_COMMENT = issue("P031", "EPP_UNBALANCED_COMMENT", "Reaching end after opening <%# without seeing %>")
EPP_UNBALANCED_EXPRESSION = issue(
    "P032", "EPP_UNBALANCED_EXPRESSION", "Unbalanced embedded expression - opening <% and reaching end of input"
)
BAD_REGEX = issue("P033", "", "{detail}")

# --- the parser -------------------------------------------------------------------------------------------------------

SYNTAX_ERROR = issue("P035", "SYNTAX_ERROR", "Syntax error at {where}")
NOT_VIRTUAL_RESOURCE = issue("P036", "", "Virtual (@) can only be applied to a Resource Expression")
NOT_EXPORTED_RESOURCE = issue("P037", "", "Exported (@@) can only be applied to a Resource Expression")
RESOURCE_BODY_OR_HASH = issue("P038", "", "Syntax error resource body without title or hash with +>")
NOT_A_RESOURCE = issue("P039", "", "Expression is not valid as a resource, resource-default, or resource-override")
CLASS_NOT_ALLOWED = issue("P040", "", "'class' keyword not allowed at this location")
STRING_NOT_A_NAME = issue("P041", "", "A quoted string is not valid as a name here")
CALL_NEEDS_PARENTHESES = issue(
    "P042",
    "",
    "attempt to pass argument list to the function '{name}' which cannot be called without parentheses",
)
ILLEGAL_COMMA_LIST = issue("P043", "", "illegal comma separated argument list")
NESTED_TOO_DEEPLY = issue("P044", "", "Nested too deeply: more than {limit} levels")
TOO_LARGE = issue("P045", "", "The text has {size} characters, more than the {limit} that are parsed")

# --- the validator ----------------------------------------------------------------------------------------------------

LANGUAGE_VALIDATION = issue("P050", "", "Language validation logged {count} errors{also}. Giving up")
NOT_TOP_LEVEL = issue(
    "P051", "NOT_TOP_LEVEL", "Classes, definitions, and nodes may only appear at toplevel or inside other classes"
)
NOT_ABSOLUTE_TOP_LEVEL = issue("P052", "NOT_ABSOLUTE_TOP_LEVEL", "{what} may only appear at toplevel")
CROSS_SCOPE_ASSIGNMENT = issue(
    "P053",
    "CROSS_SCOPE_ASSIGNMENT",
    "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces",
)
ILLEGAL_ASSIGNMENT = issue(
    "P054", "ILLEGAL_ASSIGNMENT", "Illegal attempt to assign to '{what}'. Not an assignable reference"
)
ILLEGAL_NUMERIC_ASSIGNMENT = issue(
    "P055",
    "ILLEGAL_NUMERIC_ASSIGNMENT",
    "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable",
)
NOT_RVALUE = issue("P056", "NOT_RVALUE", "Invalid use of expression. {what} does not produce a value")
ILLEGAL_ASSIGNMENT_CONTEXT = issue("P057", "ILLEGAL_ASSIGNMENT_CONTEXT", "Assignment not allowed here")
ILLEGAL_NUMERIC_PARAMETER = issue(
    "P058",
    "ILLEGAL_NUMERIC_PARAMETER",
    "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)",
)
ILLEGAL_INDEXED_ASSIGNMENT = issue(
    "P059", "ILLEGAL_INDEXED_ASSIGNMENT", "Illegal attempt to assign via [index/key]. Not an assignable reference"
)
APPENDS_DELETES_NO_LONGER_SUPPORTED = issue(
    "P060",
    "APPENDS_DELETES_NO_LONGER_SUPPORTED",
    "The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals",
)
ILLEGAL_ATTRIBUTE_APPEND = issue(
    "P062",
    "ILLEGAL_ATTRIBUTE_APPEND",
    "Illegal +> operation on attribute {name}. This operator can not be used in {parent}",
)
ILLEGAL_SINGLE_TYPE_MAPPING = issue(
    "P063", "ILLEGAL_TYPE_MAPPING", "Illegal type mapping. Expected a Type on the left side, got {what}"
)
ILLEGAL_REGEXP_TYPE_MAPPING = issue(
    "P064",
    "ILLEGAL_TYPE_MAPPING",
    "Illegal type mapping. Expected a Tuple[Regexp,String] on the left side, got {what}",
)
ILLEGAL_PARAM_NAME = issue(
    "P065",
    "ILLEGAL_PARAM_NAME",
    "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/",
)
ILLEGAL_VAR_NAME = issue(
    "P066",
    "ILLEGAL_VAR_NAME",
    "Illegal variable name, The given name '{name}' does not conform to the naming rule "
    "/^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/",
)
ILLEGAL_NUMERIC_VAR_NAME = issue(
    "P067",
    "ILLEGAL_NUMERIC_VAR_NAME",
    "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9",
)
BOOLEAN_VARIABLE = issue(  # Puppet takes `${true}` for a variable and then breaks down over it
    "P097", "ILLEGAL_VAR_NAME", "Illegal variable name, '{name}' is a truth value and can not be interpolated by itself"
)
ILLEGAL_HOSTNAME_CHARS = issue(
    "P068",
    "ILLEGAL_HOSTNAME_CHARS",
    "The hostname '{hostname}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)",
)
ILLEGAL_HOSTNAME_INTERPOLATION = issue(
    "P069", "ILLEGAL_HOSTNAME_INTERPOLATION", "An interpolated expression is not allowed in a hostname of a node"
)
ILLEGAL_EXPRESSION = issue(
    "P070", "ILLEGAL_EXPRESSION", "Illegal expression. {what} is unacceptable as {feature} in {container}"
)
ILLEGAL_QUERY_EXPRESSION = issue(
    "P071", "ILLEGAL_QUERY_EXPRESSION", "Illegal query expression. {what} cannot be used in a query"
)
NOT_VIRTUALIZEABLE = issue("P072", "NOT_VIRTUALIZEABLE", "Resource Defaults are not virtualizable")
CLASS_NOT_VIRTUALIZABLE = issue("P073", "CLASS_NOT_VIRTUALIZABLE", "Classes are not virtualizable")
UNSUPPORTED_EXPRESSION = issue(
    "P074", "UNSUPPORTED_EXPRESSION", "Expressions of type {what} are not supported in this version of Puppet"
)
ILLEGAL_DEFINITION_NAME = issue(
    "P075", "ILLEGAL_DEFINITION_NAME", "Unacceptable name. The name '{name}' is unacceptable as the name of {what}"
)
ILLEGAL_DEFINITION_LOCATION = issue(
    "P076", "ILLEGAL_DEFINITION_LOCATION", "Unacceptable location. The name '{name}' is unacceptable in file '{file}'"
)
ILLEGAL_TOP_CONSTRUCT_LOCATION = issue(
    "P077", "ILLEGAL_TOP_CONSTRUCT_LOCATION", "{what} is unacceptable as a top level construct in this location"
)
CAPTURES_REST_NOT_LAST = issue(
    "P078", "CAPTURES_REST_NOT_LAST", "Parameter ${name} is not last, and has 'captures rest'"
)
CAPTURES_REST_NOT_SUPPORTED = issue(
    "P079", "CAPTURES_REST_NOT_SUPPORTED", "Parameter ${name} has 'captures rest' - not supported in {container}"
)
ILLEGAL_EPP_PARAMETERS = issue(
    "P080",
    "ILLEGAL_EPP_PARAMETERS",
    "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
)
IDEM_EXPRESSION_NOT_LAST = issue(
    "P081",
    "IDEM_EXPRESSION_NOT_LAST",
    "This {what} has no effect. A value was produced and then forgotten "
    "(one or more preceding expressions may have the wrong form)",
)
RESOURCE_WITHOUT_TITLE = issue(
    "P082",
    "RESOURCE_WITHOUT_TITLE",
    "This expression is invalid. Did you try declaring a '{name}' resource without a title?",
)
IDEM_NOT_ALLOWED_LAST = issue(
    "P083",
    "IDEM_NOT_ALLOWED_LAST",
    "This {what} has no effect. {container} can not end with a value-producing expression without other effect",
)
RESERVED_WORD = issue(
    "P084", "RESERVED_WORD", "Use of reserved word: {word}, must be quoted if intended to be a String value"
)
FUTURE_RESERVED_WORD = issue("P085", "FUTURE_RESERVED_WORD", "Use of future reserved word: '{word}'")
RESERVED_TYPE_NAME = issue(
    "P086",
    "RESERVED_TYPE_NAME",
    "The name: '{name}' is already defined by Puppet and can not be used as the name of {what}.",
)
ILLEGAL_NODE_INHERITANCE = issue(
    "P087",
    "ILLEGAL_NODE_INHERITANCE",
    "Node inheritance is not supported in Puppet >= 4.0.0. "
    "See http://links.puppet.com/puppet-node-inheritance-deprecation",
)
DUPLICATE_PARAMETER = issue(
    "P088", "DUPLICATE_PARAMETER", "The parameter '{name}' is declared more than once in the parameter list"
)
DUPLICATE_KEY = issue("P089", "DUPLICATE_KEY", "The key '{key}' is declared more than once")
ILLEGAL_NONLITERAL_PARAMETER_TYPE = issue(
    "P099",
    "ILLEGAL_NONLITERAL_PARAMETER_TYPE",
    "The parameter '${name}' must be a literal type, not {type_class}",
)
DUPLICATE_DEFAULT = issue(
    "P090", "DUPLICATE_DEFAULT", "This {container} already has a 'default' entry - this is a duplicate"
)
RESERVED_PARAMETER = issue(
    "P091", "RESERVED_PARAMETER", "The parameter ${name} redefines a built in parameter in the {container}"
)
MULTIPLE_ATTRIBUTES_UNFOLD = issue(
    "P092", "MULTIPLE_ATTRIBUTES_UNFOLD", "Unfolding of attributes from Hash can only be used once per resource body"
)
NUMERIC_OVERFLOW = issue(
    "P093", "NUMERIC_OVERFLOW", "{what} resulted in a value outside of Puppet Integer {bound} range, got '{value}'"
)
HEREDOC_SYNTAX_INVALID = issue(
    "P094", "ILLEGAL_HEREDOC_SYNTAX", "Invalid produced text having syntax: '{syntax}'. {detail}"
)
EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING = issue(
    "P095", "EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING", "{what} is only available when compiling a catalog"
)
EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING = issue(
    "P096", "EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING", "{what} is not available when compiling a catalog"
)

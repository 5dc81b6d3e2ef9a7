"""Resource types that are not written in Puppet: which attributes they have, which of them name the resource.

A compiler needs little of a Ruby resource type: that it exists, its legal attribute names, its key attributes and how
they are read off the title (for uniqueness), and whether two resources of the same name are the same thing. Puppet's
own types are the table below; types of modules come from `puppet generate types` (`.resource_types/NAME.pp`) or from a
scan of the Ruby source for `newparam`, `newproperty` and `ensurable`, which finds the exact set for nearly every
published type (`scan`). Values are never checked at compile time, as in Puppet.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from ...base.record import Record
from ..kernel.failures import Failure

METAPARAMETERS = (
    "noop",
    "schedule",
    "audit",
    "loglevel",
    "alias",
    "tag",
    "require",
    "subscribe",
    "before",
    "notify",
    "stage",
)
RELATIONSHIPS = ("before", "notify", "require", "subscribe")
INHERITED = tuple(name for name in METAPARAMETERS if name not in RELATIONSHIPS)


TitlePattern: TypeAlias = tuple[Any, tuple[tuple[str, Callable[[str | None], Any] | None], ...]]


class ResourceKind(Record):
    """A resource type.  `keys` are the attributes that name a resource; `title_pattern` reads one off the title.

    `patterns` read several: the first (pattern, ((attribute, conversion), ...)) that matches the title; `unpatterned`
    is what is wrong when there ought to be some. `open`: there may be more attributes than those that are known.
    """

    name: str
    attributes: frozenset[str]
    keys: tuple[str, ...] = ("name",)
    isomorphic: bool = True
    title_pattern: str | None = None
    open: bool = False
    patterns: tuple[TitlePattern, ...] | None = None
    unpatterned: str | None = None

    def allows(self, attribute: str) -> bool:
        """Whether resources of this type may have the attribute; `name` is another word for what names them."""
        return attribute in self.attributes or attribute == "name" or attribute in _META or self.open

    @property
    def namevar(self) -> str:
        """The one attribute that names a resource; `name` for types with several."""
        return self.keys[0] if len(self.keys) == 1 else "name"

    def named_by(self, title: str) -> str:
        """The value that the title gives to the naming attribute."""
        if self.title_pattern is None:
            return title
        match = re.search(self.title_pattern, title, re.DOTALL)
        return match.group(1) if match else title

    def from_title(self, title: str) -> dict[str, Any]:
        """The attributes that the title gives a resource (Puppet's `parse_title`).  Fails if no pattern matches."""
        if self.patterns is None:
            if self.unpatterned is not None:
                raise Failure(self.unpatterned, kind="title patterns")
            return {self.namevar: self.named_by(title)}
        for pattern, groups in self.patterns:
            match = pattern.search(title)
            if match is not None:
                texts = match.groups()
                given = {}
                for index, (name, conversion) in enumerate(groups):
                    text = texts[index] if index < len(texts) else None
                    given[name] = text if conversion is None else conversion(text)
                return given
        raise Failure(f'No set of title patterns matched the title "{title}".', kind="title patterns")


_META = frozenset(METAPARAMETERS)
_CORE = {
    "component": "name",
    "exec": "command provider returns path user group cwd logoutput refresh environment umask timeout tries try_sleep "
    "refreshonly creates unless onlyif",
    "file": "path provider ensure content checksum_value target owner group mode type seluser selrole seltype selrange "
    "ctime mtime backup recurse recurselimit max_files replace force ignore links purge sourceselect show_diff "
    "staging_location validate_cmd validate_replacement checksum source source_permissions selinux_ignore_defaults",
    "filebucket": "name server port path",
    "group": "name provider ensure gid members attributes auth_membership allowdupe ia_load_module "
    "attribute_membership system forcelocal",
    "notify": "name message withpath",
    "package": "name provider command ensure package_settings flavor mark source instance status adminfile "
    "responsefile configfiles category platform root vendor description allowcdrom enable_only install_only "
    "install_options uninstall_options allow_virtual reinstall_on_refresh",
    "resources": "name purge unless_system_user unless_uid",
    "schedule": "name range periodmatch period repeat weekday",
    "service": "name provider ensure enable logonaccount flags logonpassword binary hasstatus path pattern restart "
    "start status stop control hasrestart manifest timeout",
    "stage": "name",
    "tidy": "path recurse max_files matches backup age size type rmdirs",
    "user": "name provider ensure home uid gid comment shell password password_min_age password_max_age "
    "password_warn_days groups expiry roles auths profiles keys project attributes salt iterations loginclass "
    "membership system allowdupe managehome role_membership auth_membership profile_membership key_membership "
    "ia_load_module attribute_membership forcelocal purge_ssh_keys",
    "whit": "name",
}
_KEYS = {"exec": ("command",), "file": ("path",), "package": ("name", "provider", "command"), "tidy": ("path",)}
_MANY_OF_ONE_NAME = frozenset(("exec", "tidy"))
_FILE_TITLE = r"\A(/|.+:/|.*[^/])/*\Z"  # a trailing slash is no part of a file's path

_kinds: dict[str, ResourceKind] = {}


def core_kind(name: str) -> ResourceKind | None:
    """Puppet's own resource type of this name (in lower case), or nothing."""
    kind = _kinds.get(name)
    if kind is None and name in _CORE:
        kind = _kinds[name] = ResourceKind(
            name,
            frozenset(_CORE[name].split()),
            _KEYS.get(name, ("name",)),
            name not in _MANY_OF_ONE_NAME,
            _FILE_TITLE if name == "file" else None,
        )
    return kind


def core_names() -> list[str]:
    """The names of Puppet's own resource types."""
    return sorted(_CORE)


_ATTRIBUTE = re.compile(r"^\s*new(?:param|property)\s*\(?\s*:?['\"]?(\w+)['\"]?([^\n]*)", re.MULTILINE)
_NAMEVAR = re.compile(r"\bisnamevar\b")
_BORROWED = re.compile(r"^\s*(?:extend\s+\w|(?:instance|class)_eval\b)", re.MULTILINE)


def scan(name: str, ruby: str) -> ResourceKind:
    """What can be read off the Ruby source of a type without running it.

    A type that takes code from elsewhere may have attributes that can not be seen here, and so may have any.
    """
    attributes = {"name"} if "newparam(:name" in ruby.replace(" ", "") else set()
    keys: list[str] = []
    matches = list(_ATTRIBUTE.finditer(ruby))
    for index, match in enumerate(matches):
        attribute, rest = match.groups()
        attributes.add(attribute)
        end = matches[index + 1].start() if index + 1 < len(matches) else len(ruby)
        if ("namevar" in rest and "true" in rest) or _NAMEVAR.search(ruby, match.end(), end):
            keys.append(attribute)
    if re.search(r"^\s*ensurable\b", ruby, re.MULTILINE):
        attributes.add("ensure")
    attributes.add("provider")
    isomorphic = "@isomorphic = false" not in ruby
    borrowed = _BORROWED.search(ruby) is not None
    return ResourceKind(name, frozenset(attributes), tuple(keys) or ("name",), isomorphic, open=borrowed)


_GENERATED_ATTRIBUTE = re.compile(r"Puppet::Resource::Param\(\s*.*?,\s*'(\w+)'(\s*,\s*true)?\s*\)", re.DOTALL)


def read_generated(name: str, text: str) -> ResourceKind:
    """A type as `puppet generate types` writes it: a call of `Puppet::Resource::ResourceType3.new`."""
    pairs = _GENERATED_ATTRIBUTE.findall(text)
    keys = tuple(attribute for attribute, key in pairs if key)
    attributes = {attribute for attribute, _ in pairs} | {"provider"}
    return ResourceKind(name, frozenset(attributes), keys or ("name",))

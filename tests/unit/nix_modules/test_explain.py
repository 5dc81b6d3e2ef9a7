"""Explaining the configuration of a machine of the module library: every definition is found at its place."""

from __future__ import annotations

import os.path
from functools import cache

import pytest

from support.nix_modules import DIRECTORY
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.host import RealHost
from wherefrom.language import Inputs, Outcome, Selected
from wherefrom.nix.front.language import LANGUAGE
from wherefrom.provenance.extract import depends, where


@cache
def outcome() -> Outcome:
    """The configuration of one machine, recorded."""
    host = RealHost([str(DIRECTORY)])
    return with_deep_stack(lambda: LANGUAGE.run(str(DIRECTORY / "web01.nix"), host, Inputs(options={"trace": True})))


def selected(path: str) -> Selected:
    return with_deep_stack(lambda: outcome().select(path))


def place(path: str) -> str:
    """Where the value at `path` was written: file, line and text."""
    leaf = where(selected(path).origin)
    assert leaf is not None and leaf.span is not None, path
    name = os.path.relpath(leaf.span.file.name, DIRECTORY)
    return f"{name}:{leaf.span.line} {leaf.span.text}"


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("networking.hostName", 'hosts/web01.nix:4 "web01"'),
        ("services.memcached.memory", "hosts/web01.nix:24 256"),
        ("services.nginx.workerProcesses", "hosts/web01.nix:7 4"),
        ('services.nginx.virtualHosts."www.example.org".locations."/".root', 'hosts/web01.nix:14 "/srv/www"'),
        ('services.nginx.upstreams.app.servers."10.0.1.21:8080".weight', "hosts/web01.nix:21 2"),
        ("environment.variables.EDITOR", 'profiles/base.nix:10 "vim"'),
        ("services.openssh.settings.PermitRootLogin", 'profiles/hardened.nix:13 "no"'),
        ("services.openssh.settings.MaxAuthTries", "profiles/hardened.nix:15 3"),
        ("services.openssh.ports[0]", "services/openssh.nix:13 22"),
        ("i18n.defaultLocale", 'system/locale.nix:6 "en_US.UTF-8"'),
        ("users.users.alice.description", 'inventory.nix:13 "Alice"'),
        ('fileSystems."/srv".options[1]', 'hosts/web01.nix:25 "nodev"'),
        ("swapDevices[0].size", "hosts/web01.nix:27 2048"),
    ],
)
def test_single_values(path: str, want: str) -> None:
    """A value comes from the literal that won, in whatever file it stands."""
    assert place(path) == want


def test_merged_list() -> None:
    """Each element of a list merged out of many files, then sorted, is traced to the definition that contributed it."""
    ports = selected("networking.firewall.allowedTCPPorts").value
    found = {port: place(f"networking.firewall.allowedTCPPorts[{index}]") for index, port in enumerate(ports)}
    assert found == {
        22: "services/openssh.nix:13 22",
        80: "services/nginx.nix:35 80",
        443: "services/nginx.nix:35 443",
        9100: "services/monitoring.nix:6 9100",
        9113: "services/monitoring.nix:7 9113",
    }


def test_merged_text() -> None:
    """A text merged out of several definitions depends on each of them, at its place."""
    leaves = depends(selected("services.openssh.banner").origin, selected("services.nginx.commonHttpConfig").origin)
    texts = {leaf.span.text for leaf in leaves if leaf.span is not None}
    assert '"Authorised access only."' in texts
    assert '"server_tokens off;"' in texts
    assert any(text.startswith("''\n      sendfile on;") for text in texts)


def test_conditions_count() -> None:
    """A definition under `mkIf` depends on what the condition looked at."""
    leaves = depends(selected('networking.hosts."127.0.0.2"').origin)
    found = {
        (leaf.span.file.name.rpartition("/")[2], leaf.span.line, leaf.span.text)
        for leaf in leaves
        if leaf.span is not None
    }
    assert ("networking.nix", 65, '"localhost"') in found  # lib.mkIf (cfg.hostName != "localhost") ...


def test_every_smallest_value_can_be_explained() -> None:
    """Nothing in the part of the configuration about SSH is without an origin."""
    for name in selected("services.openssh.settings").value:
        chosen = selected(f'services.openssh.settings."{name}"')
        assert chosen.origin is not None and list(depends(chosen.origin))

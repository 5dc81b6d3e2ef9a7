"""What the set `builtins` holds besides functions, and `derivation`, which is a function written in Nix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernel.values import Attrs, Slot
from ..kernel.versions import version_text
from ..store.paths import STORE_DIR
from .support import input_slot

if TYPE_CHECKING:
    from ..kernel.world import Machine

LANGUAGE_VERSION = 6

FROM_OUTSIDE = frozenset({"currentTime", "nixPath"})
"""Constants that are inputs: another run may find another value."""

DERIVATION = """\
/* One package of attributes for each output of a derivation; the result is the first one's. The hard work
   (`derivationStrict`) is done only when a path is asked for, so that a name or version costs nothing.
   The attributes stand where they stand in Nix's own text: `--xml` and `unsafeGetAttrPos` show their places. */

drvAttrs @ { outputs ? [ "out" ], ... }:

let
  paths = derivationStrict drvAttrs;

  # what all outputs have
  shared = drvAttrs // builtins.listToAttrs packages // {
      all = map (package: package.value) packages;
      inherit drvAttrs;
  };

  packageOf = outputName: {
      name = outputName;
      value = shared // {
        outPath = builtins.getAttr outputName paths;
        drvPath = paths.drvPath;
        type = "derivation";
        inherit outputName;
      };
  };

  packages = map packageOf outputs;
in (builtins.head packages).value
"""
"""`derivation` in Nix."""


FETCHURL = """\
# A derivation that downloads a file whose hash is known. The work would be done by Nix itself ("builtin:fetchurl").
{ system ? "", url, hash ? "", md5 ? "", sha1 ? "", sha256 ? "", sha512 ? ""
, outputHash ?
    if hash != "" then hash else if sha512 != "" then sha512 else if sha1 != "" then sha1
    else if md5 != "" then md5 else sha256
, outputHashAlgo ?
    if hash != "" then "" else if sha512 != "" then "sha512" else if sha1 != "" then "sha1"
    else if md5 != "" then "md5" else "sha256"
, executable ? false, unpack ? false, name ? baseNameOf (toString url) }:
derivation {
  inherit name url executable unpack outputHash outputHashAlgo;
  builder = "builtin:fetchurl";
  system = "builtin";
  outputHashMode = if unpack || executable then "recursive" else "flat";
  preferLocalBuild = true;
  impureEnvVars = [ "http_proxy" "https_proxy" "ftp_proxy" "all_proxy" "no_proxy" ];
  urls = [ url ];
}
"""
"""`<nix/fetchurl.nix>`, the one file that Nix brings along."""

CORE_FILES = {"/__corepkgs__/fetchurl.nix": FETCHURL.encode()}


def constant_value(machine: Machine, name: str) -> Slot:
    """The constant `name` of `builtins`."""
    if name == "derivation":
        return machine.evaluate_text("derivation.nix", DERIVATION)
    if name == "currentTime":
        return input_slot(machine, "environment", "the time", int(machine.host.now()))
    if name == "currentSystem":
        return machine.system
    if name == "nixPath":
        entries = [{"prefix": prefix, "path": path} for prefix, path in machine.search_path]
        return input_slot(machine, "environment", "NIX_PATH", entries, [Attrs(dict(entry)) for entry in entries])
    return {
        "storeDir": STORE_DIR,
        "nixVersion": version_text(machine.dialect.version),
        "langVersion": LANGUAGE_VERSION,
    }[name]

# The worked examples of the tests, merged by a library that the caller picks.
{ lib ? import ../../../../examples/flake/nixlib/lib }:
lib.evalModules { modules = [ ./decl.nix ./a.nix ./b.nix ./disabled.nix ]; }

"""Flakes, offline: references (`reference`), lock files (`lock`), what `flake.nix` says of its inputs (`manifest`), and
where the trees of inputs are found (`sources`).  The values are made by `front.flakes`, which alone runs programs.

Nix manual, "nix flake": flake references, flake format, lock files.
"""

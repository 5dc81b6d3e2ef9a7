"""Puppet's core functions: see `wherefrom.puppet.functions.registry`."""

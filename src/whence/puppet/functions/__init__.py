"""Puppet's core functions: see `whence.puppet.functions.registry`."""

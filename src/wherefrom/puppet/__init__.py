"""Puppet: from manifests to the catalogs of Puppet 7, with the origin of every value.

`syntax/` is the front end, `values` and `types/` the data and the type system, `functions/` the core functions,
`compile/` turns trees into closures once per environment, `runtime/` runs them for a node, `hiera/` looks data up.
`front` is the door, `batch` the door for many requests.
"""

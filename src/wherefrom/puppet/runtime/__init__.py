"""One compilation for one node: scopes, resources, the catalog and what is done to it at the end."""

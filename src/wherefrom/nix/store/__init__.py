"""The store as far as evaluation shows it: derivations, archives, and the paths that hashes make."""

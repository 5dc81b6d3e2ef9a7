"""The code that catalogs are compiled from: found, read, indexed and compiled once, used for many nodes."""

"""Our own implementations of the libraries that Ruby code may `require`."""

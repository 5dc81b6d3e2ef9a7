"""whence compiles configurations and can say, for every value it produces, whence it came."""

__version__ = "0.1.0"

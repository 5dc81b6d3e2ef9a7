"""From trees to Python code, plain or recording."""

"""What a Nix value is and what can be done with it: values, errors, operators, what generated code calls, printing."""

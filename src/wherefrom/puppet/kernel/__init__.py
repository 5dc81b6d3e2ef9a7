"""What every other room of Puppet stands on: failures, values, regular expressions, traced values."""

"""What every other package of Puppet stands on: failures, values, regular expressions, traced values."""

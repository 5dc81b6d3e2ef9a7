"""The methods of Ruby's own classes, one file per class or two."""

"""What a compilation gives: the outcome that queries go to, the wire format, text, and what is missing and why."""

"""The front door: an evaluation (`machine`), and Nix as a language of this project (`language`)."""

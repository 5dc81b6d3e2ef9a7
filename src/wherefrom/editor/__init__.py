"""The language server: values, where they come from and how far a line reaches, where the code is written.

    wherefrom lsp                  # an editor starts it, and speaks the Language Server Protocol on its streams

Two processes. The one that the editor starts (`server`) has the texts as they are being typed (`texts`, `editing`),
knows every name of the folder (`names`), answers (`features`), and never compiles anything. The other (`answers`, a
servant of `wherefrom.base.servant`) compiles for the chosen node and answers what only an outcome can. So typing never
waits for a compilation, and what has to be ended takes no text with it. What an outcome knows of the open files is sent
over with its diagnostics (`observed` in `view`), so that a hover finds the value although the next compilation is under
way.

`subject` is what a command has to give: how a place is compiled, with which settings. `positions` translates between
offsets and the protocol's positions; `protocol` closes what the library `pygls` leaves open. Nothing here knows one
language from another: names come from `Language.mentions`, values from `Outcome.observed`.
"""

# The configuration of one machine, for `wherefrom explain`.
(import ./.).machines.web01.config

# The configuration of one machine, for `whence explain`.
(import ./.).machines.web01.config

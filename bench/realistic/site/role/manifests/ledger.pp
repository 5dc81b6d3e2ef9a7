class role::ledger {
  include profile::base
  include profile::database
}

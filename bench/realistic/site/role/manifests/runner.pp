class role::runner {
  include profile::base
  include profile::runner
}

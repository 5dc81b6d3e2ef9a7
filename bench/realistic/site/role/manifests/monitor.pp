class role::monitor {
  include profile::base
  include profile::monitor
}

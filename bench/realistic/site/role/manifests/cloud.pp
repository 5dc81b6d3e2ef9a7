class role::cloud {
  include profile::base
  include profile::cloud
}

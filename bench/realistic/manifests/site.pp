node default {
  include "role::${facts['role']}"
}

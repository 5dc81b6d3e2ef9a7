require 'puppet_x'

# What the module's classes stand in.
module PuppetX::Kit; end

# frozen_string_literal: true

require 'ipaddr'

# Whether an address lies in one of the networks and a port is one.
Puppet::Functions.create_function(:'kit::reachable') do
  dispatch :reachable do
    param 'String', :address
    param 'Variant[String, Array[String[1], 1]]', :networks
    optional_param 'Kit::Port', :port
    return_type 'Boolean'
  end

  argument_mismatch :no_port do
    param 'String', :address
    param 'Any', :networks
    param 'Any', :port
  end

  def reachable(address, networks, port = 80)
    Array(networks).any? { |network| IPAddr.new(network).include?(IPAddr.new(address)) } && port.positive?
  end

  def no_port(_address, _networks, port)
    "wants a port, got #{port.inspect}"
  end
end

require 'resolv'

# Of which kind an address is, and the name under which one would ask for it.
Puppet::Functions.create_function(:'kit::numeric') do
  dispatch :numeric do
    param 'String', :address
  end

  def numeric(address)
    case address
    when Resolv::IPv4::Regex then [4, Resolv::IPv4.create(address).to_name.to_s]
    when Resolv::IPv6::Regex then [6, Resolv::IPv6.create(address).to_name.to_s]
    else [0, address =~ Resolv::AddressRegex]
    end
  end
end

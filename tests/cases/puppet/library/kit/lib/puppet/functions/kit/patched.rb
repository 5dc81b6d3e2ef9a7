require 'resolv'

module Louder
  def to_s
    "<#{super}>"
  end
end

# A library's class with a method of our own before it.
Puppet::Functions.create_function(:'kit::patched') do
  def patched
    Kernel.const_get('Resolv::IPv6').prepend(Louder)
    Resolv::IPv6.create('fe80:0::7').to_s
  end
end

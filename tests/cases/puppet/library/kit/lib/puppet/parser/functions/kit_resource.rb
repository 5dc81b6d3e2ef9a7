module Puppet::Parser::Functions
  newfunction(:kit_resource, :type => :rvalue, :arity => -2) do |args|
    resource = compiler.findresource(args[0].type, args[0].title)
    if resource.nil?
      'none'
    elsif args[1]
      resource.parameters[args[1].to_sym].to_s
    else
      resource.parameters.map { |name, parameter| [name.to_s, parameter.name.to_s, parameter.value] }
    end
  end
end

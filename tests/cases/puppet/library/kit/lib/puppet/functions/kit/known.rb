# frozen_string_literal: true

# Whether a function of that name can be called.
Puppet::Functions.create_function(:'kit::known', Puppet::Functions::InternalFunction) do
  dispatch :known do
    scope_param
    param 'String[1]', :name
    return_type 'Boolean'
  end

  def known(scope, name)
    found = scope.compiler.loaders.private_environment_loader&.load(:function, name)
    return true unless found.nil?

    old = Puppet::Parser::Functions.function(name.to_sym)
    old.is_a?(String) && !old.empty?
  end
end

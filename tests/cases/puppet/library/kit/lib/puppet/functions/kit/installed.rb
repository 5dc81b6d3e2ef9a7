# frozen_string_literal: true

# Packages that shall be there, declared once.
Puppet::Functions.create_function(:'kit::installed', Puppet::Functions::InternalFunction) do
  dispatch :installed do
    scope_param
    param 'Variant[String[1], Array[String[1]]]', :names
    optional_param 'Hash', :attributes
    return_type 'Undef'
  end

  dispatch :installed_each do
    scope_param
    param 'Hash[String[1], Any]', :names
    optional_param 'Hash', :attributes
    return_type 'Undef'
  end

  def installed(scope, names, attributes = {})
    Array(names).each do |name|
      next if scope.catalog.resource('Package', name)

      given = { 'ensure' => 'installed' }.merge(attributes)
      scope.call_function('create_resources', ['package', { name => given }])
    end
    nil
  end

  def installed_each(scope, names, attributes = {})
    names.each { |name, own| installed(scope, name, attributes.merge(own || {})) }
    nil
  end
end

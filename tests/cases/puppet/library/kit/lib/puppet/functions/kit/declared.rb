# Declares classes as `include` does, and tells how.
Puppet::Functions.create_function(:'kit::declared', Puppet::Functions::InternalFunction) do
  dispatch :declared do
    scope_param
    repeated_param 'Any', :names
  end

  def declared(scope, *names)
    full = scope.transform_and_assert_classnames(names.flatten)
    scope.resource.tag('declarer', ['by_kit'])
    scope.compiler.evaluate_classes(full, scope, false)
    [full.map { |name| Puppet::Pops::Types::TypeFactory.host_class(name) }, scope.has_local_variable?('here')]
  end
end

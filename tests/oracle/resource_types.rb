# What real Puppet knows of every resource type that the modules below the folder ARGV[0] define: a line of JSON for each,
# name, attributes, naming attributes, and whether two of one name are one.
require 'puppet'
require 'json'
require 'tmpdir'

modules = ARGV.fetch(0)
Dir.mktmpdir do |base|
  settings = %w[confdir vardir rundir logdir codedir].flat_map { |name| ["--#{name}", File.join(base, name)] }
  Puppet.initialize_settings(settings, true, false)
  $LOAD_PATH.concat(Dir[File.join(modules, '*/lib')])
  names = Dir[File.join(modules, '*/lib/puppet/type/*.rb')].map { |file| File.basename(file, '.rb') }.uniq.sort
  environment = Puppet::Node::Environment.create(:production, [modules])
  Puppet.override(environments: Puppet::Environments::Static.new(environment), current_environment: environment) do
    names.each do |name|
      type = Puppet::Type.type(name.to_sym)
      attributes = type.properties.map(&:name) + type.parameters + [:name] # `name` is always valid
      puts JSON.generate([name, attributes.map(&:to_s).uniq.sort, type.key_attributes.map(&:to_s), !!type.isomorphic?])
    end
  end
end

# Real Puppet as a server whose environment is cached: catalogs of many nodes, with what others export.
#
#   ruby fleet.rb ENVIRONMENT < requests
#
# A request is a line of JSON: `node`, `facts`, and `exported`, a list of `node`, `type`, `title`, `parameters`, `tags`.
# An answer is one too: `node`, `catalog` or `error`, and `exported`, what this node exports. PuppetDB's part is played
# here: the query of a collector is evaluated on `exported` as PuppetDB's documented operators are, and what is found
# becomes resources as its terminus makes them.
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'

ROOT = Dir.mktmpdir('fleet')
at_exit { FileUtils.rm_rf(ROOT) }
directory = File.expand_path(ARGV[0])
Puppet.initialize_settings(
  %w[confdir vardir rundir logdir codedir].flat_map { |name| ["--#{name}", "#{ROOT}/#{name}"] }, true, false
)
Puppet::Util::Log.level = :err
Puppet[:environmentpath] = File.dirname(directory)
Puppet[:storeconfigs] = true

def matches?(row, query)
  left, operator, right = query
  case operator
  when 'and' then matches?(row, left) && matches?(row, right)
  when 'or' then matches?(row, left) || matches?(row, right)
  when '==' then same?(row, left, right)
  when '!=' then !same?(row, left, right)
  else raise "no operator of a collector: #{operator}"
  end
end

def same?(row, name, value)
  case name
  when 'tag' then row['tags'].include?(value.to_s.downcase)
  when 'title' then row['title'] == value
  else row['parameters'][name] == value
  end
end

EXPORTED = []
Puppet::Resource.indirection.define_singleton_method(:search) do |type, options|
  found = EXPORTED.select do |row|
    row['type'] == type && row['node'] != options[:host] && (options[:filter].nil? || matches?(row, options[:filter]))
  end
  found.map do |row|
    parameters = row['parameters'].map { |name, value| Puppet::Parser::Resource::Param.new(name: name.to_sym, value: value) }
    resource = Puppet::Parser::Resource.new(row['type'], row['title'], parameters: parameters, scope: options[:scope])
    resource.collector_id = "#{row['node']}|#{row['type']}|#{row['title']}"
    resource
  end
end

def exported(node, catalog)
  catalog.resources.select(&:exported?).map do |resource|
    parameters = resource.to_data_hash['parameters'] || {}
    parameters['tag'] = parameters['tag'].sort if parameters['tag'].is_a?(Array) # as the terminus stores it
    { 'node' => node, 'type' => resource.type, 'title' => resource.title, 'parameters' => parameters, 'tags' => resource.tags.to_a }
  end
end

found = Puppet::Environments::Directories.new(File.dirname(directory), [])
environment = Puppet.override(environments: found) { found.get!(File.basename(directory).to_sym) }
$stdout.sync = true
Puppet.override(environments: found, current_environment: environment, rich_data: true) do
  $stdin.each_line do |line|
    request = JSON.parse(line)
    answer = { 'node' => request['node'] }
    begin
      EXPORTED.replace(request['exported'] || EXPORTED)
      node = Puppet::Node.new(request['node'], environment: environment)
      node.fact_merge(Puppet::Node::Facts.new(request['node'], request['facts']))
      node.trusted_data = { 'authenticated' => 'local', 'certname' => request['node'], 'extensions' => {},
                            'hostname' => request['node'].split('.').first, 'domain' => request['node'].split('.', 2)[1], 'external' => {} }
      catalog = Puppet::Parser::Compiler.compile(node)
      answer['exported'] = exported(request['node'], catalog)
      answer['catalog'] = catalog.filter(&:virtual?).to_data_hash
    rescue StandardError => problem
      answer['error'] = problem.message.scrub
    end
    puts JSON.generate(answer)
  end
end

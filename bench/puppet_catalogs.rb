#!/usr/bin/env ruby
# Real Puppet as a service for benchmarks and tests: JSON lines in, JSON lines out, catalogs only, nothing applied.
#
# request: {id, manifest, node, facts, server_facts, classes, parameters, modulepath [directory], files {path: text}, global_files,
#           settings, repeat, cold}
# answer:  {id, ok, catalog | error {message, line, issue_code}, logs [[level, message, line]], seconds [..] (of processor time)}
#
# Each request is answered in a child process of its own, so that nothing leaks from one to the next; with `repeat` the
# child compiles again and again in the same environment, as a server with its environment cached does; with `cold` as well,
# in a new environment each time, so that everything is read again.
#
# `--together` answers all requests in one process, several times as fast: for bulk comparison, where an answer that differs is
# asked for again alone. Requests that load Ruby code of their own do not belong there.
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'

ROOT = Dir.mktmpdir('catalogs')
OWNER = Process.pid
at_exit { FileUtils.rm_rf(ROOT) if Process.pid == OWNER }
Puppet.initialize_settings(
  %w[confdir vardir rundir logdir codedir].flat_map { |name| ["--#{name}", "#{ROOT}/#{name}"] }, true, false
)

# Puppet's log sends messages to any object of a class with this name.
module Puppet::Test
  class LogCollector
    attr_reader :lines
    def initialize = @lines = []
    def <<(line) = @lines << line
  end
end

def environment_for(request, root)
  home = "#{root}/production"
  modulepath = ['modules', *request['modulepath']].join(':')
  { 'manifests/site.pp' => request['manifest'], 'environment.conf' => "modulepath = #{modulepath}\n" }
    .merge(request['files'] || {}).each do |name, text|
    FileUtils.mkdir_p(File.dirname("#{home}/#{name}"))
    File.binwrite("#{home}/#{name}", text)
  end
  Puppet[:environmentpath] = root
  found = Puppet::Environments::Directories.new(root, [])
  Puppet.override(environments: found) { [found, found.get(:production)] }
end

# Files of the global layer of data, in a directory that texts call `@CODEDIR@`.
def global_layer(request, root)
  return unless request['global_files']

  request['global_files'].each do |name, text|
    FileUtils.mkdir_p(File.dirname("#{root}.global/#{name}"))
    File.binwrite("#{root}.global/#{name}", text.gsub('@CODEDIR@', "#{root}.global"))
  end
  Puppet[:codedir] = "#{root}.global"
  Puppet[:hiera_config] = "#{root}.global/hiera.yaml"
end

def node_for(request, environment)
  name = request['node'] || 'node.example.com'
  node = Puppet::Node.new(name, environment: environment)
  node.classes = request['classes'] if request['classes']
  node.merge(request['parameters']) if request['parameters']
  node.fact_merge(Puppet::Node::Facts.new(name, JSON.parse(JSON.generate(request['facts'] || {}))))
  node.add_server_facts(request['server_facts'] || {})
  node.trusted_data = { 'authenticated' => 'local', 'certname' => name, 'extensions' => {},
                        'hostname' => name.split('.').first, 'domain' => name.split('.', 2)[1], 'external' => {} }
  node
end

def answer(request)
  result = { 'id' => request['id'], 'ok' => true }
  (request['settings'] || {}).each { |name, value| Puppet[name.to_sym] = value }
  root = Dir.mktmpdir('environment', ROOT)
  log = Puppet::Test::LogCollector.new
  Puppet::Util::Log.level = :notice
  Puppet::Util::Log.newdestination(log)
  begin
    global_layer(request, root)
    found, environment = environment_for(request, root)
    result['seconds'] = Array.new(request['repeat'] || 1) do
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      environment = Puppet.override(environments: found) { found.get(:production) } if request['cold']
      Puppet.override(environments: found, current_environment: environment, rich_data: true) do
        catalog = Puppet::Parser::Compiler.compile(node_for(request, environment)).filter(&:virtual?)
        result['catalog'] = catalog.to_data_hash unless request['repeat']
      end
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
    end
  rescue Exception => e # rubocop:disable Lint/RescueException
    result['ok'] = false
    result['error'] = { 'message' => e.message.scrub }
    %i[line issue_code].each { |part| result['error'][part.to_s] = e.send(part) if e.respond_to?(part) && e.send(part) }
  end
  result['logs'] = log.lines.map { |line| [line.level, line.message.to_s.scrub, line.line] }
  JSON.generate(result).gsub("#{root}.global", '@CODEDIR@').gsub("#{root}/production/", '')
end

# Puppet reads its own functions again for each environment, which takes most of the time of a small compilation; here the
# classes are kept, and only instances are made anew.
module KeptFunctions
  KEPT = {}
  def create(loader, typed_name, source, code)
    path = Array(source).first.to_s
    return super if path.start_with?(ROOT) || code.include?('local_types')

    KEPT[path] ? KEPT[path].new(nil, loader.private_loader) : super.tap { |function| KEPT[path] = function.class }
  end
end

def answer_together
  Puppet::Pops::Loader::RubyFunctionInstantiator.singleton_class.prepend(KeptFunctions)
  settings = %i[tasks strict strict_variables storeconfigs codedir hiera_config environmentpath].to_h { |name| [name, Puppet[name]] }
  $stdin.each_line do |line|
    puts answer(JSON.parse(line))
    settings.each { |name, value| Puppet[name] = value }
    Puppet::Util::Log.close_all
    # what is warned of once in a process is warned of once for each request
    Puppet.clear_deprecation_warnings
    Puppet::Util::Warnings.clear_warnings
    # once it has printed a set of types, Puppet's printer would call the set's members by short names ever after
    Puppet::Pops::Types::TypeFormatter.singleton.instance_variable_set(:@type_set, nil)
    FileUtils.rm_rf(Dir.children(ROOT).grep(/\Aenvironment/).map { |name| "#{ROOT}/#{name}" })
  end
end

$stdout.sync = true
answer('id' => 'warm', 'manifest' => "file { '/a': } notify { 'a': } package { 'a': } service { 'a': } exec { '/a': } user { 'a': }")
if ARGV.include?('--together')
  answer_together
  exit
end
$stdin.each_line do |line|
  reader, writer = IO.pipe
  child = fork do
    reader.close
    writer.write(answer(JSON.parse(line)))
    writer.close
    exit!(0)
  end
  writer.close
  text = reader.read
  Process.wait(child)
  puts(text.empty? ? JSON.generate('id' => JSON.parse(line)['id'], 'ok' => false, 'error' => { 'message' => 'crashed' }) : text)
end

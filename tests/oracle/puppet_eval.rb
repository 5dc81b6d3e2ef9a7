# Asks real Puppet: reads requests (JSON lines with `manifest`, perhaps `files` of the environment by path) and answers
# each with what compiling it gave.
#
#   {"manifest": "notice(1)"}  ->  {"ok": true, "logs": [["notice", "1"]], "resources": {"Notify[x]": {...}}, "tags": {...}}
#                              or  {"ok": false, "message": "...", "issue": "...", "line": 1, "column": 2, "logs": [...]}
#
# Nothing is applied. Every request is compiled in a process of its own, so that no function, type or warning leaks from
# one to the next.
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'
require 'puppet/pops'

ROOT = Dir.mktmpdir('puppet-eval')
OWNER = Process.pid
at_exit { FileUtils.rm_rf(ROOT) if Process.pid == OWNER }

NODE = 'node.example.com'
FACTS = {
  'networking' => { 'fqdn' => 'Node.example.com', 'hostname' => 'node', 'domain' => 'example.com',
                    'interfaces' => { 'eth0' => { 'ip' => '10.0.0.5' } } },
  'os' => { 'name' => 'Debian', 'family' => 'Debian', 'release' => { 'major' => '12' } }
}.freeze

Puppet.initialize_settings(%w[conf var run log code].zip(%w[confdir vardir rundir logdir codedir])
  .flat_map { |name, setting| ["--#{setting}", "#{ROOT}/#{name}"] } + ['--certname', NODE], true, false)
Puppet::Util::Log.level = :debug

module Puppet
  module Test
    # The log machinery takes an object of this class for a destination.
    class LogCollector
      def initialize(lines) = @lines = lines
      def <<(line) = @lines << line
    end
  end
end

def compile(manifest, number, files = {})
  directory = "#{ROOT}/environments#{number}/production"
  FileUtils.mkdir_p("#{directory}/manifests")
  FileUtils.mkdir_p("#{directory}/modules")
  File.write("#{directory}/manifests/site.pp", manifest)
  files.each do |path, text|
    FileUtils.mkdir_p(File.dirname("#{directory}/#{path}"))
    File.write("#{directory}/#{path}", text)
  end
  environments = Puppet::Environments::Directories.new(File.dirname(directory), [])
  environment = Puppet.override(environments: environments) { environments.get(:production) }
  Puppet.override(environments: environments, current_environment: environment, rich_data: true) do
    node = Puppet::Node.new(NODE, environment: environment)
    node.fact_merge(Puppet::Node::Facts.new(NODE, FACTS.dup))
    node.trusted_data = { 'authenticated' => 'local', 'certname' => NODE, 'extensions' => {}, 'hostname' => 'node',
                          'domain' => 'example.com', 'external' => {} }
    Puppet::Parser::Compiler.compile(node).filter(&:virtual?).to_data_hash
  end
end

def answer(request, number)
  lines = []
  result = {}
  destination = Puppet::Test::LogCollector.new(lines)
  Puppet::Util::Log.newdestination(destination)
  begin
    data = compile(request['manifest'], number, request['files'] || {})
    ours = data['resources'].reject { |r| %w[Stage Class].include?(r['type']) && %w[main Settings].include?(r['title']) }
    result['ok'] = true
    result['resources'] = ours.to_h { |r| ["#{r['type']}[#{r['title']}]", r['parameters'] || {}] }
    result['tags'] = ours.to_h { |r| ["#{r['type']}[#{r['title']}]", r['tags'].sort] }
    result['edges'] = data['edges'].map { |e| [e['source'], e['target']] }
                                   .reject { |_, target| %w[Class[Settings] Class[main]].include?(target) }
  rescue Exception => e # a jump out of its context is not a StandardError
    lines.pop if lines.last&.level == :err # the error itself, which is logged before it is raised
    result['ok'] = false
    result['message'] = e.message.scrub
    result['issue'] = e.issue_code.to_s if e.respond_to?(:issue_code) && e.issue_code
    result['line'] = e.line if e.respond_to?(:line)
    result['column'] = e.pos if e.respond_to?(:pos)
  end
  Puppet::Util::Log.close(destination)
  result['logs'] = lines.reject { |line| line.level == :debug && (!line.source.to_s.start_with?('Scope(') || line.message =~ /^Retrieving/) }
                        .map { |line| [line.level.to_s, line.message.to_s.scrub] }
  JSON.generate(result).gsub(%r{#{ROOT}/environments\d+/production/manifests/}, '')
                       .gsub(%r{#{ROOT}/environments\d+/production}, '/ENVIRONMENT').gsub(ROOT, '/ROOT')
end

compile("notify { 'warm': }", 0)
$stdout.sync = true
$stdin.each_line.with_index(1) do |line, number|
  reader, writer = IO.pipe
  child = fork do
    reader.close
    writer.write(answer(JSON.parse(line), number))
    writer.close
    exit!(0)
  end
  writer.close
  puts reader.read
  Process.wait(child)
end

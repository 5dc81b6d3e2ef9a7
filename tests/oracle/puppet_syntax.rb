#!/usr/bin/env ruby
# What real Puppet's parser and validator say: JSON lines in, JSON lines out.
#
# A request has `text` (or `path`) and may have `epp`, `name` and `modulepath` (what a file may define depends on them),
# `strict`, `tasks`; `tree` asks for the model. The answer is
# {id, ok, error {message, line, pos, issue_code}, logs [[level, message, line]], tree}. A node of the model is
# [class, line, column, {attribute: value}]. With `time` the answer has the CPU seconds that it took.
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet/pops'

BASE = Dir.mktmpdir('puppet-syntax')
at_exit { FileUtils.rm_rf(BASE) }
Puppet.initialize_settings(%w[conf var run log code].flat_map { |d| ["--#{d}dir", "#{BASE}/#{d}"] }, true, false)
Puppet::Util::Log.level = :notice

module Puppet
  module Test
    # Puppet's log machinery recognises a destination of this class name.
    class LogCollector
      def initialize(list)
        @list = list
      end

      def <<(line)
        @list << line
      end
    end
  end
end

def plain(value)
  case value
  when Puppet::Pops::Model::PopsObject then node(value)
  when Array then value.map { |each| plain(each) }
  when Regexp then value.source
  when Symbol then value.to_s
  when Float then value.to_s
  else value
  end
end

def node(object)
  parts = {}
  object.instance_variables.each do |name|
    next if %i[@locator @offset @length @hash @definitions].include?(name)
    value = plain(object.instance_variable_get(name))
    parts[name.to_s[1..]] = value unless value.nil?
  end
  place = object.is_a?(Puppet::Pops::Model::Positioned) ? [object.line, object.pos] : [nil, nil]
  [object.class.name.split('::').last, *place, parts]
end

def answer(request)
  logs = []
  result = { 'id' => request['id'] }
  collector = Puppet::Test::LogCollector.new(logs)
  Puppet::Util::Log.newdestination(collector)
  Puppet[:strict] = (request['strict'] || 'warning').to_sym
  Puppet[:tasks] = request['tasks'] ? true : false
  begin
    text = request['text'] || File.read(request['path'], mode: 'rb', encoding: 'utf-8')
    kind = request['epp'] ? Puppet::Pops::Parser::EvaluatingParser::EvaluatingEppParser : Puppet::Pops::Parser::EvaluatingParser
    parser = kind.new
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    context = { plugins: PLUGINS }
    context[:current_environment] = Puppet::Node::Environment.create(:test, [request['modulepath']]) if request['modulepath']
    model = Puppet.override(context) { parser.parse_string(text, request['name'] || 'site.pp') }
    result['seconds'] = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started if request['time']
    result['ok'] = true
    result['tree'] = node(model) if request['tree']
  rescue Exception => e # rubocop:disable Lint/RescueException
    raise if e.is_a?(Interrupt) || e.is_a?(SystemExit)
    result['ok'] = false
    error = { 'class' => e.class.name, 'message' => e.message.dup.force_encoding('UTF-8').scrub }
    %i[file line pos issue_code].each { |m| error[m.to_s] = e.send(m) if e.respond_to?(m) && !e.send(m).nil? }
    result['error'] = error
  ensure
    Puppet::Util::Log.close(collector)
  end
  result['logs'] = logs.map { |l| [l.level.to_s, l.message.to_s.scrub, l.line] } unless logs.empty?
  result
end

PLUGINS = Puppet::Plugins::Configuration.load_plugins
$stdout.sync = true
STDIN.each_line { |line| puts JSON.generate(answer(JSON.parse(line))) unless line.strip.empty? }

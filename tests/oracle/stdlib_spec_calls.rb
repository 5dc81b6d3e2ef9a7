# Takes the calls out of the function specs of the module `stdlib`: which function, with which arguments.
#
#   ruby tests/oracle/stdlib_spec_calls.rb DIRECTORY > tests/oracle/stdlib_spec_calls.txt
#
# DIRECTORY is `spec/functions` of a checkout of the module (https://github.com/puppetlabs/puppetlabs-stdlib, the tag of
# the version that Debian ships). The specs are run with words of their own in place of RSpec's, which only note the
# arguments; what a call gives is asked of real Puppet afterwards (`record_stdlib.py`), whatever the specs say of it.

require 'puppet'

# A call that cannot be written as Puppet code.
class Unwritable < StandardError; end

# Anything that a spec asks of RSpec: it takes every message and gives itself.
class Anything < BasicObject
  def method_missing(*) = self
  def respond_to_missing?(*) = true
  def respond_to?(name, *) = !%i[to_ary to_str to_hash to_proc].include?(name)
  def to_s = 'anything'
  def inspect = 'anything'
  def is_a?(*) = false
  def ==(_other) = false
  def !~(_other) = false
end

SECRET = Struct.new(:value)
CALLS = Hash.new { |calls, name| calls[name] = [] }

def text(value)
  value = value.dup.force_encoding('UTF-8')
  raise Unwritable unless value.valid_encoding?
  return "'#{value.gsub(/[\\']/) { |char| "\\#{char}" }}'" if value.match?(/\A[[:print:]]*\z/)

  inside = value.gsub(/[\\"$]|[^[:print:]]/) do |char|
    { "\n" => '\n', "\t" => '\t', "\r" => '\r' }[char] || (char.match?(/[\\"$]/) ? "\\#{char}" : format('\u{%X}', char.ord))
  end
  "\"#{inside}\""
end

def written(value)
  case value
  when nil, :undef then 'undef'
  when true, false then value.to_s
  when Integer then value.abs < 2**63 ? value.to_s : raise(Unwritable)
  when Float then value.finite? ? value.to_s : raise(Unwritable)
  when String then text(value)
  when Array then "[#{value.map { |item| written(item) }.join(', ')}]"
  when Hash then "{#{value.map { |key, item| "#{written(key)} => #{written(item)}" }.join(', ')}}"
  when SECRET then "Sensitive(#{written(value.value)})"
  else raise Unwritable
  end
end

# What stands in a spec's groups and examples.
class Group
  def initialize(function) = @function = function

  def note(arguments)
    call = "#{@function}(#{arguments.map { |argument| written(argument) }.join(', ')})"
    CALLS[@function] << call if call.length < 600 && !call.include?("\n")
  rescue Unwritable
    nil
  end

  def run = Runner.new(self)
  def sensitive(value) = SECRET.new(value)
  def describe(*, **, &block) = block && group(&block)
  alias context describe
  %i[shared_examples shared_context it_behaves_like include_examples before after around subject].each do |word|
    define_method(word) { |*, **| Anything.new }
  end

  def let(name, &block)
    define_singleton_method(name) { @values ||= {}; @values.fetch(name) { @values[name] = instance_eval(&block) } }
  end
  alias let! let

  def it(*, **, &block)
    instance_eval(&block) if block
  rescue StandardError, ScriptError
    nil
  end
  alias specify it

  def group(&block)
    inner = clone
    inner.instance_variable_set(:@values, nil)
    inner.instance_eval(&block)
  rescue StandardError, ScriptError
    nil
  end

  def method_missing(*) = Anything.new
  def respond_to_missing?(*) = true
end

# `run.with_params(...)`, with whatever follows.
class Runner
  def initialize(group) = @group = group

  def with_params(*arguments)
    @group.note(arguments)
    Anything.new
  end

  def method_missing(*) = self
  def respond_to_missing?(*) = true
end

def describe(name, *, **, &block) = Group.new(name.to_s.delete_prefix('::')).group(&block)
def require(name) = name == 'spec_helper' ? true : super
RSpec = Module.new { def self.configure = nil; def self.describe(...) = Object.send(:describe, ...) }

Dir.glob(File.join(ARGV.fetch(0), '**', '*_spec.rb')).sort.each do |file|
  load file
rescue StandardError, ScriptError => e
  warn "#{file}: #{e.class}: #{e.message.lines.first}"
end
CALLS.sort.each { |name, calls| puts "\n## #{name}", calls.uniq unless calls.empty? }

# frozen_string_literal: true

require_relative '../../puppet_x/kit'
require 'date'

# Writes sections of keys and values.
class PuppetX::Kit::Writer
  BARE = /\A[\w-]+\z/.freeze

  attr_reader :text

  def initialize(data)
    @text = +''
    section(data, [])
  end

  private

  def section(data, above)
    inner, plain = data.keys.sort.partition { |key| data[key].is_a?(Hash) }
    @text += "[#{above.join('.')}]\n" if above.any? && (plain.any? || data.empty?)
    plain.each { |key| @text << "#{bare(key)} = #{shown(data[key])}\n" }
    inner.each { |key| section(data[key], above + [bare(key)]) }
  end

  def bare(key)
    return key if key.to_s.match?(BARE)

    '"' + key.gsub('"', '\\"') + '"'
  end

  def shown(value)
    case value
    when Time, DateTime then value.strftime('%Y-%m-%dT%H:%M:%SZ')
    when Date then value.strftime('%Y-%m-%d')
    when Regexp then value.inspect.inspect
    when String then value.inspect.gsub(/\\(#[$@{])/, '\1')
    else value.inspect
    end
  end
end

# frozen_string_literal: true

require 'yaml'

# Data as YAML, with options of the writer.
Puppet::Functions.create_function(:'kit::yaml') do
  dispatch :yaml do
    param 'Any', :data
    optional_param 'Hash', :options
  end

  def yaml(data, options = {})
    call_function('kit::unveiled', data) do |plain|
      known = options.transform_keys(&:to_sym)
      plain = sorted(plain) if known.delete(:sorted)
      plain.to_yaml(known)
    end
  end

  private

  def sorted(value)
    case value
    when Hash then value.sort.to_h { |key, inner| [key, sorted(inner)] }
    when Array then value.map { |inner| sorted(inner) }
    else value
    end
  end
end

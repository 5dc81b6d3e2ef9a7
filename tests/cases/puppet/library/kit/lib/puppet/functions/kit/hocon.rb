# frozen_string_literal: true

# HOCON as data, or a default.
Puppet::Functions.create_function(:'kit::hocon') do
  dispatch :hocon do
    param 'String', :text
    optional_param 'Any', :default
  end

  def hocon(text, default = :none)
    require 'hocon/config_factory'
    Hocon::ConfigFactory.parse_string(text).resolve.root.unwrapped
  rescue Hocon::ConfigError::ConfigParseError => e
    Puppet.debug("no HOCON: #{e.message}")
    raise e if default == :none

    default
  end
end

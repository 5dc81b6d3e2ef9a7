# frozen_string_literal: true

require_relative '../../../puppet_x/kit/writer'

# Data as sections.
Puppet::Functions.create_function(:'kit::sections') do
  dispatch :sections do
    required_param 'Hash', :data
    return_type 'String'
  end

  def sections(data)
    PuppetX::Kit::Writer.new(data).text
  end
end

# frozen_string_literal: true

# A value as a script would write it.
Puppet::Functions.create_function(:'kit::literal') do
  dispatch :literal do
    param 'Any', :value
  end

  def literal(value)
    written(Puppet::Pops::Serialization::ToDataConverter.convert(value, rich_data: true))
  end

  def written(value)
    case value
    when true then 'yes'
    when false then 'no'
    when nil then 'nothing'
    when Array then "(#{value.map { |each| written(each) }.join(' ')})"
    when Hash then "{#{value.map { |key, each| "#{written(key)} = #{written(each)}" }.join('; ')}}"
    else value.inspect
    end
  end
end

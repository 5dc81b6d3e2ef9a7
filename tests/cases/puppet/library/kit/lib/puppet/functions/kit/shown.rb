# How Ruby shows a value to people who look into it.
Puppet::Functions.create_function(:'kit::shown') do
  dispatch :shown do
    param 'Any', :value
  end

  def shown(value)
    [value.inspect, value.to_s, value.class.name]
  end
end

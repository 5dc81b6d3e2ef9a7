# Numbers and the rest, and a number that the node's own seed decides.
Puppet::Functions.create_function(:'kit::apart') do
  dispatch :apart do
    param 'Array', :values
    optional_param 'Any', :seed
  end

  def apart(values, seed = 7)
    (numbers, others) = values.partition { |value| value.is_a?(Numeric) }
    ((first, second), third) = [numbers, others.size]
    [first, second, third, others, Puppet::Util.deterministic_rand_int(seed, 100)]
  end
end

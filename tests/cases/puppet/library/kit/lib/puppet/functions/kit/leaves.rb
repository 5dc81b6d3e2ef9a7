# frozen_string_literal: true

# The values of a hash and of those inside of it.
Puppet::Functions.create_function(:'kit::leaves') do
  dispatch :leaves do
    param 'Hash', :given
    return_type 'Array'
  end

  def leaves(given)
    given.each_with_object([]) { |(_, value), all| value.is_a?(Hash) ? all.concat(leaves(value)) : (all << value) }
  end
end

require 'set'

# Values that Ruby has and Puppet has not.
Puppet::Functions.create_function(:'kit::odd') do
  def odd(which)
    case which
    when 'symbol' then :sym
    when 'keys' then { :a => :b, 'c' => [:d] }
    when 'range' then (1..3)
    when 'set' then Set.new([1, 'x'])
    when 'time' then Time.at(0).utc
    when 'regexp' then /a/i
    end
  end
end

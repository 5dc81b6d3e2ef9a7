# Names a constant that nobody defines.
Puppet::Functions.create_function(:'kit::unknown') do
  def unknown
    KitKnowsNothing::Client.new
  end
end

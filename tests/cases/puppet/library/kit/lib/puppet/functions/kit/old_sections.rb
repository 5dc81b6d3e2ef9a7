# frozen_string_literal: true

# The name that `kit::sections` had before.
Puppet::Functions.create_function(:'kit::old_sections') do
  dispatch :gone do
    repeated_param 'Any', :args
  end

  def gone(*args)
    call_function('kit::sections', *args)
  end
end

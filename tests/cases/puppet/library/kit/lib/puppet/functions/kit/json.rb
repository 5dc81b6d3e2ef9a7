# frozen_string_literal: true

require 'json'

# Data as JSON, laid out as asked.
Puppet::Functions.create_function(:'kit::json') do
  local_types do
    type 'Layout = Struct[{Optional[indent] => String, Optional[space] => String, Optional[object_nl] => String,
                           Optional[array_nl] => String, Optional[max_nesting] => Integer[-1, default]}]'
  end

  dispatch :json do
    param 'Variant[Hash, Array]', :data
    optional_param 'Optional[Boolean]', :skip
    optional_param 'Layout', :layout
  end

  def json(data, skip = false, layout = nil)
    if layout
      layout = layout.transform_keys(&:to_sym)
      layout[:max_nesting] = false if layout[:max_nesting] == -1
    end
    data = data.compact if skip
    JSON.pretty_generate(data, layout) << "\n"
  end
end

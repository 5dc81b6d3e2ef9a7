# frozen_string_literal: true

require 'zlib'
require 'digest'

# Sums of a scalar, wrapped or not.
Puppet::Functions.create_function(:'kit::checked') do
  dispatch :checked do
    param 'Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]]', :data
    return_type 'Tuple[String, String]'
  end

  def checked(data)
    sums(data.unwrap.to_s)
  rescue StandardError
    sums(data.to_s)
  end

  private

  def sums(text)
    [Zlib.crc32(text).to_s(16).downcase, Digest::SHA256.hexdigest(text)[0, 12]]
  end
end

# frozen_string_literal: true

# Everything wrapped inside is unwrapped; the whole is wrapped again if anything was.
Puppet::Functions.create_function(:'kit::unveiled') do
  dispatch :unveiled do
    param 'Any', :data
    optional_block_param 'Callable[Any]', :block
    return_type 'Any'
  end

  def unveiled(data)
    @veiled = false
    plain = bare(data)
    result = block_given? ? yield(plain) : plain
    @veiled ? Puppet::Pops::Types::PSensitiveType::Sensitive.new(result) : result
  end

  def bare(value)
    case value
    when Hash
      value.each_with_object({}) { |(key, inner), all| all[bare(key)] = bare(inner) }
    when Array
      value.map { |inner| bare(inner) }
    when Puppet::Pops::Types::PSensitiveType::Sensitive
      @veiled = true
      bare(value.unwrap)
    else
      value
    end
  end
end

# frozen_string_literal: true

# A list or text turned by an amount that hangs on the node.
Puppet::Functions.create_function(:'kit::turned') do
  dispatch :turned_text do
    param 'String', :given
    optional_repeated_param 'Variant[Integer, String]', :seeds
    return_type 'String'
  end

  dispatch :turned_list do
    param 'Array', :given
    optional_repeated_param 'Variant[Integer, String]', :seeds
    return_type 'Array'
  end

  def turned_list(given, *seeds)
    return given if given.size <= 1

    require 'digest/md5'
    seed = Digest::MD5.hexdigest([name, seeds].join(':')).hex
    result = given.clone
    Puppet::Util.deterministic_rand(seed, result.size).to_i.times { result.push(result.shift) }
    result
  end

  def turned_text(given, *seeds)
    turned_list(given.chars, seeds).join
  end

  private

  def name
    closure_scope['facts']['networking']['fqdn']
  end
end

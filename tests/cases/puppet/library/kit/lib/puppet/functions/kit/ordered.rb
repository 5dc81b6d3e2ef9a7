# frozen_string_literal: true

# A copy in the order of what the block gives.
Puppet::Functions.create_function(:'kit::ordered') do
  dispatch :ordered_list do
    param 'Array', :given
    block_param 'Callable[1, 1]', :block
  end

  dispatch :ordered_text do
    param 'String', :given
    block_param 'Callable[1, 1]', :block
  end

  dispatch :ordered_hash do
    param 'Hash', :given
    block_param 'Variant[Callable[1, 1], Callable[2, 2]]', :block
  end

  def walked(given, &block)
    Puppet::Pops::Types::Iterable.asserted_iterable(self, given).sort_by(&block)
  end

  def ordered_list(given, &block)
    walked(given, &block)
  end

  def ordered_text(given, &block)
    walked(given, &block).join
  end

  def ordered_hash(given, &block)
    walked(given, &block).to_h
  end
end

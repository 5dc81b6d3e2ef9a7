module Puppet::Parser::Functions
  newfunction(:kit_scope, :type => :rvalue, :arity => 1) do |args|
    case args.first
    when 'kind' then [is_nodescope?, is_topscope?, to_s]
    when 'stub' then function_defined(['Notify[x]'])
    when 'word' then nothing_of_the_kind
    when 'method' then self.nothing_of_the_kind
    when 'constant' then KitKnowsNothing
    when 'pson' then { 'a' => [1, nil, 'é'] }.to_pson
    when 'arity' then [Puppet::Parser::Functions.arity(:kit_scope), Puppet::Parser::Functions.rvalue?(:kit_scope)]
    when 'made' then Puppet::Resource::Type.new(:hostclass, 'Made::Here').name
    when 'wrong' then Puppet::Resource::Type.new(:other, 'x')
    end
  end
end

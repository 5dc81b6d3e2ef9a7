# What lies in the module's own folder `vault`, as text or as bytes.
Puppet::Functions.create_function(:'kit::vault', Puppet::Functions::InternalFunction) do
  dispatch :open_one do
    scope_param
    param 'String[1]', :name
    optional_param 'Boolean', :bytes
  end

  dispatch :names do
    optional_param 'Undef', :nothing
  end

  def open_one(scope, name, bytes = false)
    home = Pathname.new(Puppet::Module.find('kit').path) + 'vault'
    path = Puppet::Parser::Files.find_file((home + name).cleanpath.to_s, scope.compiler.environment)
    raise ArgumentError, "nothing called #{name}" unless path && Puppet::FileSystem.exist?(path)
    return "a folder of #{Pathname(path).children.size}" if Puppet::FileSystem.directory?(path)
    return Puppet::FileSystem.read_preserve_line_endings(path) unless bytes
    Puppet::Pops::Types::PBinaryType::Binary.from_binary_string(Puppet::FileSystem.binread(path))
  end

  def names(_nothing = nil)
    home = Pathname.new(Puppet::Module.find('kit').path).join('vault')
    Pathname.glob(home.join('**', '*').to_s).select(&:file?).map { |path| path.relative_path_from(home).to_s }.sort
  end
end

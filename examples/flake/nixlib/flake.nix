{
  description = "A small module system with a few modules, in the shape of the one that NixOS has";

  outputs = { self }: {
    lib = import ./lib;
  };
}

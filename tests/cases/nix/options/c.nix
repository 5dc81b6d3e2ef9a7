{ lib, ... }:
{
  numbers = lib.mkOverride 70 7;
  free.extra = lib.mkForce 4;
  hosts.h2.tags = [ "t3" ];
}

# What all machines know of each other.
{
  nameservers = [ "10.0.1.1" "9.9.9.9" ];
  networks = { web = "10.0.1.0/24"; data = "10.0.2.0/24"; ops = "10.0.3.0/24"; };
  hosts = {
    web01 = { address = "10.0.1.11"; };
    web02 = { address = "10.0.1.12"; };
    db01 = { address = "10.0.2.11"; };
    mon01 = { address = "10.0.3.11"; };
    gw01 = { address = "10.0.1.1"; };
  };
  admins = {
    alice = { uid = 1000; description = "Alice"; email = "alice@example.org"; keys = [ "ssh-ed25519 AAAA alice@laptop" ]; };
    bob = { uid = 1001; description = "Bob"; email = "bob@example.org"; keys = [ "ssh-ed25519 BBBB bob@desk" "ssh-rsa CCCC bob@home" ]; };
  };
}

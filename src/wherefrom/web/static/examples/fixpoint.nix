let
  fix = f: let x = f x; in x;
  base = self: { port = 80; url = "web:" + self.port; };
  extend = over: f: self: f self // over;
in
(fix (extend { port = "8080"; } base)).url

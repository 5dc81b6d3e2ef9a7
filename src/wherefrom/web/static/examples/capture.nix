(x: y: x) (with { y = 2; }; y) 1

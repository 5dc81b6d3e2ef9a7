{ port = 1; }

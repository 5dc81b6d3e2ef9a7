"default"

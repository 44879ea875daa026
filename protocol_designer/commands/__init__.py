"""The commands of the command line, one file each: they wire the rooms together and hold no logic of their own."""

"""The maps, one declarative file each."""

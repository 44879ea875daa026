"""What a protocol is: the contract, the loader, the hash, the sandbox worker; and the shipped protocols."""

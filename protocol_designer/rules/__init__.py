"""The rules that a protocol's source is held to, one class each, and the child process that reads it with LibCST."""

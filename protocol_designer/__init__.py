"""The compiler: brief → source → diagnostics → score → refined source → frozen protocol."""

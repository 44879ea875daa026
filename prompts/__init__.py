"""The prompts, one Jinja2 file per role."""

"""Who writes protocol parts: a search over measured gains, language models, people, or a stored transcript."""

"""Scores a protocol by how much better a decoder rebuilds the state with its messages than without."""

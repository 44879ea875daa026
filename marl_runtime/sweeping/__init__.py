"""Sweeps: task x method x protocol x settings x seed from one file, resumable, none of it trained twice."""

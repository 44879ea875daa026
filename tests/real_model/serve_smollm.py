"""Serve a GGUF model on loopback with llama.cpp's own HTTP server: python serve_smollm.py MODEL PORT."""

from __future__ import annotations

import sys
import threading

import xllamacpp


def main() -> None:
    """Serve until killed."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.n_gpu_layers = 0
    # one thread: two of them wait for each other by spinning on shared cores
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(sys.argv[2])
    server = xllamacpp.Server(parameters)
    threading.Event().wait()
    del server


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The kernel of tuned_sum.cu and its tunings, searched by Kernel Tuner: kernel_tuner_sum.py OUT.json N…

Needs kernel_tuner 1.x and cuda-python. OUT.json has, for each N, the fastest tuning by crosswarp's name for it, its time, how
many tunings were timed and the seconds that the search took. Strategy: Kernel Tuner's brute force, its default."""
import json
import sys
import time

import numpy
from kernel_tuner import tune_kernel
from cuda.bindings import runtime

SOURCE = """
extern "C" __global__ void __launch_bounds__(block_size_x) add_all(const float* in, unsigned long long n, float* out) {
  float sums[loads] = {};
  const unsigned long long step = (unsigned long long)gridDim.x * block_size_x;
  unsigned long long i = (unsigned long long)blockIdx.x * block_size_x + threadIdx.x;
  for (; i + (loads - 1) * step < n; i += loads * step)
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) sums[j] += in[i + j * step];
  for (; i < n; i += step) sums[0] += in[i];
  float sum = 0;
#pragma unroll
  for (unsigned j = 0; j < loads; ++j) sum += sums[j];
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
"""
TUNINGS = {"block_size_x": [128, 256, 512, 1024], "loads": [1, 2, 4, 8], "blocks_per_unit": [1, 2, 4, 8, 16]}


def search(n, units):
    def threads(tuning):
        block = tuning["block_size_x"]
        return block * min((n + block - 1) // block, tuning["blocks_per_unit"] * units)

    values = numpy.random.default_rng(n).uniform(-1, 1, n).astype(numpy.float32)
    began = time.monotonic()
    timed, _ = tune_kernel("add_all", SOURCE, threads, [values, numpy.uint64(n), numpy.zeros(1, numpy.float32)], TUNINGS,
                           lang="nvcuda", compiler_options=["--std=c++17"], quiet=True)
    seconds = time.monotonic() - began
    best = min((t for t in timed if isinstance(t["time"], float)), key=lambda t: t["time"])
    name = f"block{best['block_size_x']}_loads{best['loads']}_blocks_per_unit{best['blocks_per_unit']}"
    return {"n": n, "tuning": name, "ns": best["time"] * 1e6, "tunings": len(timed), "seconds": seconds}


if len(sys.argv) < 3:
    sys.exit(__doc__)
error, device = runtime.cudaGetDeviceProperties(0)
if error != runtime.cudaError_t.cudaSuccess:
    sys.exit(f"no CUDA device: {error.name}")
with open(sys.argv[1], "w") as out:
    json.dump([search(int(n), device.multiProcessorCount) for n in sys.argv[2:]], out, indent=1)

#!/usr/bin/env python3
"""The kernel of tuned_sum.cu and its tunings, searched by Kernel Tuner. Needs kernel_tuner 1.x and cuda-python.

OUT has, for each N, the fastest tuning by crosswarp's name for it, its time, how many tunings were timed and the seconds that
the search took."""
import argparse
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


def search(n, units, strategy):
    def threads(tuning):
        block = tuning["block_size_x"]
        return block * min((n + block - 1) // block, tuning["blocks_per_unit"] * units)

    values = numpy.random.default_rng(n).uniform(-1, 1, n).astype(numpy.float32)
    began = time.monotonic()
    timed, _ = tune_kernel("add_all", SOURCE, threads, [values, numpy.uint64(n), numpy.zeros(1, numpy.float32)], TUNINGS,
                           lang="nvcuda", compiler_options=["--std=c++17"], quiet=True, strategy=strategy)
    seconds = time.monotonic() - began
    best = min((t for t in timed if isinstance(t["time"], float)), key=lambda t: t["time"])
    name = f"block{best['block_size_x']}_loads{best['loads']}_blocks_per_unit{best['blocks_per_unit']}"
    return {"n": n, "tuning": name, "ns": best["time"] * 1e6, "tunings": len(timed), "seconds": seconds}


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--strategy", default="brute_force", help="Kernel Tuner's name of it (default: brute_force, all tunings)")
parser.add_argument("out", metavar="OUT.json")
parser.add_argument("n", metavar="N", type=int, nargs="+", help="floats to add")
asked = parser.parse_args()
error, device = runtime.cudaGetDeviceProperties(0)
if error != runtime.cudaError_t.cudaSuccess:
    sys.exit(f"no CUDA device: {error.name}")
with open(asked.out, "w") as out:
    json.dump([search(n, device.multiProcessorCount, asked.strategy) for n in asked.n], out, indent=1)

// Kernels of the measurement itself: an empty one (bound by launch latency), the gate, a pure read (bound by memory
// bandwidth), generators of inputs.
#include "backends/gpu/device_kernels.hpp"

#include <algorithm>

#include "backends/gpu/error.hpp"
#include "backends/gpu/launch.hpp"
#include "core/checksum.hpp"
#include "platform/kernel.hpp"

namespace crosswarp::gpu {
namespace {

constexpr int block_size = 512;
constexpr int read_waves = 16;                          // more blocks than fit at once, to balance the multiprocessors
constexpr long long gate_ticks = 2 * ticks_per_second;  // until a gate opens by itself

__global__ void empty_kernel() {}

#if CROSSWARP_HAS_PTX
/// The empty kernel of programmatic dependent launches.
__global__ void empty_dependent_kernel() { grid_dependency_sync(); }
#endif

/// Holds the stream until the host has raised `*opened` to `ticket`. Opens by itself in the end and reports it, since a
/// launch that waits for the device behind a closed gate would never return.
__global__ void gate_kernel(const volatile unsigned* opened, unsigned ticket, volatile unsigned* overdue) {
  const long long start = ticks();
  while (*opened < ticket) {
    if (ticks() - start > gate_ticks) {
      *overdue = ticket;
      return;
    }
    nap();
  }
}

/// Reads all of `data` in tiles: 16-byte loads, eight in flight per thread. Writes only for one improbable sum, so that
/// the compiler keeps every load and no write adds traffic.
__global__ void __launch_bounds__(block_size)
    read_kernel(const uint4* __restrict__ data, std::size_t count, unsigned* never) {
  constexpr unsigned unroll = 8;
  constexpr std::size_t tile = std::size_t{block_size} * unroll;
  unsigned sum = 0;
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= count; first += gridDim.x * tile) {
    uint4 v[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) v[u] = data[first + u * block_size + threadIdx.x];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) sum += v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
  }
  for (std::size_t i = first + threadIdx.x; i < std::min(first + tile, count); i += block_size)
    sum += data[i].x ^ data[i].y ^ data[i].z ^ data[i].w;
  if (sum == 0x9d2c5681u && never[0] == sum) never[1] = sum;
}

template <class T, class Numbers>
__global__ void generate_kernel(T* to, std::size_t n, Numbers numbers) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    to[i] = numbers.template at<T>(i);
}

__global__ void permute_kernel(std::uint32_t* to, std::size_t n, Permutation order) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    to[i] = static_cast<std::uint32_t>(order(i));
}

__global__ void chain_kernel(std::byte* memory, std::size_t stride, Permutation order, std::uint64_t origin) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < order.size; i += threads)
    *reinterpret_cast<std::uint64_t*>(memory + order(i) * stride) =
        origin + order(i + 1 < order.size ? i + 1 : 0) * stride;
}

__global__ void checksum_kernel(const float* words, std::size_t n, unsigned long long* to) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::uint64_t sum = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    sum += __float_as_uint(words[i]) * checksum_weight(i);
  for (unsigned delta = warp_size() / 2; delta > 0; delta /= 2) sum += shuffle_down(sum, delta);
  if (threadIdx.x % warp_size() == 0) atomicAdd(to, static_cast<unsigned long long>(sum));
}

/// Whether thread `first` of `threads` finds another byte: aligned 16-byte words, and the ends byte by byte.
__device__ bool differs_from(const unsigned char* memory, std::size_t bytes, unsigned char byte, std::size_t first,
                             std::size_t threads) {
  const std::size_t head = std::min<std::size_t>(bytes, (16 - reinterpret_cast<std::uintptr_t>(memory) % 16) % 16);
  const std::size_t words = (bytes - head) / 16;
  const auto* const body = reinterpret_cast<const uint4*>(memory + head);
  const unsigned word = byte * 0x01010101u;
  bool differs = false;
  for (std::size_t i = first; i < words; i += threads) {
    const uint4 v = body[i];
    differs |= v.x != word || v.y != word || v.z != word || v.w != word;
  }
  for (std::size_t i = first; i < head; i += threads) differs |= memory[i] != byte;
  for (std::size_t i = head + 16 * words + first; i < bytes; i += threads) differs |= memory[i] != byte;
  return differs;
}

__global__ void note_change_kernel(const unsigned char* memory, std::size_t bytes, unsigned char byte,
                                   volatile unsigned* seen) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (differs_from(memory, bytes, byte, first, threads)) *seen = 1;
}

__global__ void note_changes_kernel(Pieces pieces, unsigned char byte, volatile unsigned* seen) {
  const std::span<const std::byte> piece = pieces.piece[blockIdx.x];
  const auto* const memory = reinterpret_cast<const unsigned char*>(piece.data());
  if (differs_from(memory, piece.size(), byte, threadIdx.x, blockDim.x)) *seen = 1;
}

}  // namespace

bool this_build_has_code() {
  cudaFuncAttributes attributes{};
  const bool has = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(empty_kernel)) == cudaSuccess;
  ignore(cudaGetLastError());
  return has;
}

cudaError_t launch_empty([[maybe_unused]] bool pdl, cudaStream_t stream) {
#if CROSSWARP_HAS_PTX
  if (pdl) {
    cudaLaunchAttribute attribute = programmatic_stream_serialization();
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = 1;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, empty_dependent_kernel);
  }
#endif
  empty_kernel<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launch_gate(const unsigned* opened, unsigned ticket, unsigned* overdue, cudaStream_t stream) {
  gate_kernel<<<1, 1, 0, stream>>>(opened, ticket, overdue);
  return cudaGetLastError();
}

cudaError_t launch_read(std::span<const std::byte> memory, int threads, unsigned* never, cudaStream_t stream) {
  read_kernel<<<read_waves * threads / block_size, block_size, 0, stream>>>(
      reinterpret_cast<const uint4*>(memory.data()), memory.size() / sizeof(uint4), never);
  return cudaGetLastError();
}

cudaError_t launch_permute(std::span<std::uint32_t> to, const Permutation& order, int threads, cudaStream_t stream) {
  permute_kernel<<<threads / block_size, block_size, 0, stream>>>(to.data(), to.size(), order);
  return cudaGetLastError();
}

cudaError_t launch_chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order,
                         std::uint64_t origin, int threads, cudaStream_t stream) {
  chain_kernel<<<threads / block_size, block_size, 0, stream>>>(memory.data(), stride, order, origin);
  return cudaGetLastError();
}

cudaError_t launch_generate(const TypedSpan& to, const Elements& elements, int threads, cudaStream_t stream) {
  std::visit(
      [&](const auto& typed) {
        generate_kernel<<<threads / block_size, block_size, 0, stream>>>(typed.data(), typed.size(), elements);
      },
      to);
  return cudaGetLastError();
}

cudaError_t launch_generate(const TypedSpan& to, const GeneralNumbers& numbers, int threads, cudaStream_t stream) {
  std::visit(
      [&]<class T>(std::span<T> typed) {
        if constexpr (std::same_as<T, std::int32_t>)
          throw Error("general numbers are of floating types");
        else
          generate_kernel<<<threads / block_size, block_size, 0, stream>>>(typed.data(), typed.size(), numbers);
      },
      to);
  return cudaGetLastError();
}

cudaError_t launch_note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen, int threads,
                               cudaStream_t stream) {
  // No more blocks than there is work: small outputs are checked between short launches.
  const std::size_t blocks = std::clamp<std::size_t>(memory.size() / (16 * block_size), 1, threads / block_size);
  note_change_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(
      reinterpret_cast<const unsigned char*>(memory.data()), memory.size(), byte, seen);
  return cudaGetLastError();
}

cudaError_t launch_note_changes(std::span<const std::span<const std::byte>> pieces, unsigned char byte, unsigned* seen,
                                cudaStream_t stream) {
  if (pieces.empty()) return cudaSuccess;
  Pieces given = {};
  std::copy(pieces.begin(), pieces.end(), given.piece);
  note_changes_kernel<<<static_cast<unsigned>(pieces.size()), block_size, 0, stream>>>(given, byte, seen);
  return cudaGetLastError();
}

cudaError_t launch_checksum(std::span<const float> words, unsigned long long* sum, int threads, cudaStream_t stream) {
  checksum_kernel<<<threads / block_size, block_size, 0, stream>>>(words.data(), words.size(), sum);
  return cudaGetLastError();
}

}  // namespace crosswarp::gpu

// Kernels of the measurement itself, callable from host code. Each function returns the launch's error code.
#pragma once

#include <cstddef>
#include <span>

#include "core/general_numbers.hpp"
#include "core/random.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {

/// Whether the kernels were compiled for the current device.
bool this_build_has_code();

/// `pdl`: by programmatic dependent launch (PDL), which the device must support.
cudaError_t launch_empty(bool pdl, cudaStream_t stream);

/// Holds the stream until the host has raised `*opened` to `ticket`. Opens by itself after about two seconds and stores
/// `ticket` in `*overdue`. Both are mapped host memory.
cudaError_t launch_gate(const unsigned* opened, unsigned ticket, unsigned* overdue, cudaStream_t stream);

/// Reads all of `memory` (16-byte aligned) with `threads` resident threads. `never`: two zeros of device memory.
cudaError_t launch_read(std::span<const std::byte> memory, int threads, unsigned* never, cudaStream_t stream);

/// to[i] = elements(i).
cudaError_t launch_generate(const TypedSpan& to, const Elements& elements, int threads, cudaStream_t stream);
/// The same for floating types.
cudaError_t launch_generate(const TypedSpan& to, const GeneralNumbers& numbers, int threads, cudaStream_t stream);

/// to[i] = order(i).
cudaError_t launch_permute(std::span<std::uint32_t> to, const Permutation& order, int threads, cudaStream_t stream);

/// As Device::chain.
cudaError_t launch_chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order,
                         std::uint64_t origin, int threads, cudaStream_t stream);

/// *seen = 1 where any byte of `memory` differs from `byte`. `seen` may be mapped host memory.
cudaError_t launch_note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen, int threads,
                               cudaStream_t stream);

/// Pieces of memory, by value in a kernel's parameters.
struct Pieces {
  static constexpr std::size_t most = 128;
  std::span<const std::byte> piece[most];
};

/// *seen = 1 where any byte of any of `pieces`, Pieces::most at most, differs from `byte`. For small pieces: a block
/// each.
cudaError_t launch_note_changes(std::span<const std::span<const std::byte>> pieces, unsigned char byte, unsigned* seen,
                                cudaStream_t stream);

/// Adds Checksum::weighted of `words` to `*sum`, in device memory.
cudaError_t launch_checksum(std::span<const float> words, unsigned long long* sum, int threads, cudaStream_t stream);

}  // namespace crosswarp::gpu

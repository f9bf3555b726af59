// Memory that NCCL allocates, and its symmetric windows: which allocations of ranks are registered together.
#include "backends/gpu/peer_features.hpp"

#if CROSSWARP_HAS_NCCL
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "backends/cuda/nccl_windows.hpp"
#include "backends/gpu/error.hpp"
#include "backends/gpu/shared_library.hpp"
#include "core/error.hpp"
#include "core/peer_memory.hpp"

// Declared by NCCL 2.27 and later. The library that is loaded may be later than the header.
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 27, 0)
using ncclWindow_t = struct ncclWindow*;
constexpr int NCCL_WIN_COLL_SYMMETRIC = 1;
extern "C" ncclResult_t ncclCommWindowRegister(ncclComm_t, void*, std::size_t, ncclWindow_t*, int);
extern "C" ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t);
#endif

namespace crosswarp::gpu {
namespace {

/// Entry points beside those of Nccl.
struct Windows {
  decltype(&::ncclMemAlloc) mem_alloc = nullptr;
  decltype(&::ncclMemFree) mem_free = nullptr;
  decltype(&::ncclCommWindowRegister) window_register = nullptr;
  decltype(&::ncclCommWindowDeregister) window_deregister = nullptr;
};

/// Requires that NCCL is loaded: why_no_nccl().
const SharedLibrary<Windows>& library() {
  static const SharedLibrary<Windows> loaded("NCCL", {"libnccl.so.2"}, [](SharedLibrary<Windows>& from) {
    from.load(from.entries.mem_alloc, "ncclMemAlloc");
    from.load(from.entries.mem_free, "ncclMemFree");
    from.load(from.entries.window_register, "ncclCommWindowRegister");
    from.load(from.entries.window_deregister, "ncclCommWindowDeregister");
  });
  return loaded;
}
const Windows& windows() { return library().usable(); }

/// One allocation of each rank, registered together. Empty where it is not registered any more.
using Window = std::vector<ncclWindow_t>;

/// The part of a window that an allocation is; none for null.
struct Part {
  std::shared_ptr<Window> window = nullptr;
  std::size_t rank = 0;
};

/// NCCL's allocations, by address.
Allocations<Part>& allocations() {
  static Allocations<Part> all;
  return all;
}

/// Null for none.
std::shared_ptr<Window> window_around(const void* address) {
  const auto* const found = allocations().around(address);
  return found && found->facts.window && !found->facts.window->empty() ? found->facts.window : nullptr;
}

/// Whether the allocations around these addresses are one window's, in the order of ranks.
bool is_registered(std::span<const void* const> by_rank) {
  const std::shared_ptr<Window> window = window_around(by_rank.front());
  if (!window || window->size() != by_rank.size()) return false;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    if (window_around(by_rank[rank]) != window || allocations().around(by_rank[rank])->facts.rank != rank) return false;
  return true;
}

/// Not collective. Releases what NCCL holds of all ranks' memory.
void deregister(Window& window) {
  for (std::size_t rank = 0; rank < window.size(); ++rank)
    if (window[rank])
      static_cast<void>(
          windows().window_deregister(nccl_communicator(rank, window.size(), NcclArrays::windows), window[rank]));
  window.clear();
}

/// A symmetric window's handle is an object in device memory. Instead of one, NCCL 2.28 returns a registration in the
/// host's memory, and 2.29 null.
bool is_symmetric(ncclWindow_t handle) {
  cudaPointerAttributes attributes{};
  const bool is_known = handle && cudaPointerGetAttributes(&attributes, handle) == cudaSuccess;
  ignore(cudaGetLastError());
  return is_known && attributes.type == cudaMemoryTypeDevice;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  *memory = nullptr;
  const ncclResult_t result = windows().mem_alloc(memory, bytes);
  if (result == ncclSuccess) {
    allocations().add(*memory, bytes, {});
    return cudaSuccess;
  }
  constexpr std::size_t page = std::size_t{2} << 20;
  std::size_t free = 0, total = 0;
  ignore(cudaGetLastError());
  ignore(cudaMemGetInfo(&free, &total));
  // NCCL does not say which of CUDA's errors it was.
  if (free < (bytes + page - 1) / page * page) return cudaErrorMemoryAllocation;
  throw Error(fmt::format("ncclMemAlloc of {} MiB, where {} MiB are free: {}; NCCL_DEBUG=WARN tells more", bytes >> 20,
                          free >> 20, nccl().error_string(result)),
              result);
}

cudaError_t release(void* memory) {
  if (const std::shared_ptr<Window> window = window_around(memory)) deregister(*window);
  allocations().remove(memory);
  return windows().mem_free(memory) == ncclSuccess ? cudaSuccess : cudaErrorUnknown;
}

}  // namespace

const MemorySource nccl_memory{.allocate = allocate, .release = release};

std::string why_no_nccl_windows() {
  if (std::string why = why_no_nccl(); !why.empty()) return why;
  return library().why_not.empty() ? "" : "needs symmetric windows, NCCL 2.27 or later; here is " + nccl_version();
}

void register_nccl_window(std::span<const void* const> by_rank) {
  if (is_registered(by_rank)) return;
  std::vector<Allocations<Part>::Allocation> memory;
  for (const void* const address : by_rank) {
    const auto* const found = allocations().around(address);
    if (!found) throw Error("no symmetric window: this memory is not ncclMemAlloc's");
    if (window_around(address)) throw Error("no symmetric window: this memory is registered with that of other ranks");
    memory.push_back(*found);
    if (found->bytes != memory.front().bytes) throw Error("no symmetric window: ranks' arrays differ in size");
  }
  const auto window = std::make_shared<Window>(by_rank.size());
  check(nccl().group_start(), "ncclGroupStart");
  ncclResult_t result = ncclSuccess;
  for (std::size_t rank = 0; rank < memory.size() && result == ncclSuccess; ++rank)
    result = windows().window_register(nccl_communicator(rank, memory.size(), NcclArrays::windows), memory[rank].base,
                                       memory[rank].bytes, &(*window)[rank], NCCL_WIN_COLL_SYMMETRIC);
  const ncclResult_t end = nccl().group_end();  // in any case, or later calls would belong to this group
  if (result == ncclSuccess) result = end;
  if (result != ncclSuccess) deregister(*window);
  check(result, "ncclCommWindowRegister");
  for (const ncclWindow_t handle : *window) {
    if (is_symmetric(handle)) continue;
    deregister(*window);
    throw Error(
        "NCCL made no symmetric window: it needs peer access between all GPUs and the cuMem API (NCCL_CUMEM_ENABLE, "
        "NCCL_WIN_ENABLE)");
  }
  for (std::size_t rank = 0; rank < memory.size(); ++rank)
    allocations().add(memory[rank].base, memory[rank].bytes, {window, rank});
}

void require_nccl_window(std::span<const void* const> by_rank) {
  if (!is_registered(by_rank)) throw Error("arrays that are not registered as a symmetric window");
}

}  // namespace crosswarp::gpu
#endif

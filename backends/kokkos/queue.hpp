// What Kokkos variants are written against. The one place, with runtime.cpp, that knows which Kokkos this is.
#pragma once

#include <Kokkos_Core.hpp>
#include <span>
#include <string_view>

#include "core/variant.hpp"

namespace crosswarp::kokkos {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// Whether launches return before they are done.
inline constexpr bool is_asynchronous = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// The execution space instance on the device's own stream. Starts Kokkos on first use.
const Exec& execution_space(Device& device);

/// Where a variant's patterns go: `exec` runs on the same stream as every other backend on the device.
struct Queue : LaunchContext {
  static constexpr std::string_view backend = "kokkos";

  Queue(Device& on, LaunchContext context) : LaunchContext(context), exec(execution_space(on)) {}

  Exec exec;
};

/// Registers the variant that stands in this file.
template <class E>
using Register = crosswarp::Register<E, Queue>;

/// Views of memory that the experiment owns.
template <class T>
using View = Kokkos::View<T, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T>
View<T*> array(std::span<T> memory) {
  return View<T*>(memory.data(), memory.size());
}

/// For one element: what a parallel_reduce may leave its result in without waiting for it.
template <class T>
View<T> scalar(std::span<T> memory) {
  return View<T>(memory.data());
}

/// Indices 0 … n-1, beyond 2^31 too.
inline auto range(const Queue& queue, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(queue.exec, 0, n);
}

}  // namespace crosswarp::kokkos

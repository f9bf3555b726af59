// The API of Kokkos variants: execution space, queue, views of an experiment's memory.
#pragma once

#include <Kokkos_Core.hpp>
#include <span>
#include <string_view>

#include "core/variant.hpp"

namespace crosswarp::kokkos {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// Whether launches return before the work is done.
inline constexpr bool is_asynchronous = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// The execution space instance on the device's own stream. Starts Kokkos on first use.
const Exec& execution_space(Device& device);

/// A variant's queue. `exec` runs on the stream that every backend on the device shares.
struct Queue : LaunchContext {
  static constexpr std::string_view backend = "kokkos";

  Queue(Device& on, LaunchContext context) : LaunchContext(context), exec(execution_space(on)) {}

  Exec exec;
};

/// Registers this file's variant.
template <class E>
using Register = crosswarp::Register<E, Queue>;

/// Unmanaged view of an experiment's memory.
template <class T>
using View = Kokkos::View<T, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T>
View<T*> array(std::span<T> memory) {
  return View<T*>(memory.data(), memory.size());
}

/// View of one element, into which parallel_reduce writes its result without a host synchronization.
template <class T>
View<T> scalar(std::span<T> memory) {
  return View<T>(memory.data());
}

/// Indices 0 … n-1; n may exceed 2^31.
inline auto range(const Queue& queue, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(queue.exec, 0, n);
}

}  // namespace crosswarp::kokkos

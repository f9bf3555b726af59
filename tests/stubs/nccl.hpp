// What a stub of NCCL was called for, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace crosswarp {

using NcclCalls = std::vector<std::string>;

/// Addresses from here on are in device memory.
inline constexpr std::uintptr_t device_addresses = std::uintptr_t{1} << 60;

struct NcclAnswers {
  /// To ncclCommWindowRegister: an error, a handle of a symmetric window, or success with one of an ordinary window or
  /// with none, as where symmetric windows are not supported.
  enum { error, symmetric, ordinary, none } window = symmetric;
  std::size_t memory = std::size_t{1} << 30;  ///< Bytes that ncclMemAlloc has.
};

}  // namespace crosswarp

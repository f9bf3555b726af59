// C++ source text as the hash of a variant sees it: tokens without comments, whitespace, includes and descriptions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp::build {

/// Fields of Variant (core/variant_entry.hpp) that describe it; docs/json.md names them. All others may change what runs.
inline constexpr std::array<std::string_view, 9> descriptive{
    "idea", "bound_by", "improves", "formerly", "counterparts", "gaps", "not_expressible", "instructions", "of_peers"};

struct SourceText {
  std::vector<std::string> includes;  ///< `#include "…"`, in order; <…> are left out.
  std::set<std::string> namespaces;   ///< Names that qualify another: `a` in `a::b`.
  std::string tokens;                 ///< Each followed by a newline. A preprocessor line is one token.
  std::size_t code_lines = 0;         ///< Lines that are neither blank nor comment only.
};

/// Leaves out the descriptive fields of `Register<…> name{{.field = …}}`: they change no kernel.
SourceText read_source(std::string_view text);

/// 64-bit FNV-1a.
std::uint64_t fnv1a(std::string_view bytes);

}  // namespace crosswarp::build

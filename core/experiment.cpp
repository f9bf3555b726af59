// Words for verdicts; apart from the header, so that kernels compile without a formatting library.
#include "core/experiment.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace crosswarp {

std::string to_string(Quantity quantity) {
  return quantity == Quantity::bytes ? "bytes" : quantity == Quantity::flops ? "flops" : "accesses";
}

Quantity quantity(std::string_view text) {
  for (const Quantity q : {Quantity::bytes, Quantity::flops, Quantity::accesses})
    if (text == to_string(q)) return q;
  throw Error("no quantity that rates count: " + std::string(text));
}

std::string mismatch(std::string_view what, double is, double should_be) {
  return fmt::format("{} is {}, should be {}", what, is, should_be);
}

}  // namespace crosswarp

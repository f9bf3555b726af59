// Instruction counts in the output of NVIDIA's disassembler.
#pragma once

#include <algorithm>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp {

/// Instructions by function, each from its mnemonic on: `FFMA R0, R0, R1, R2 ;`.
using MachineCode = std::map<std::string, std::vector<std::string>>;

/// Reads the output of `cuobjdump -sass`. An instruction's line is its address in a comment, perhaps a predicate, and
/// the instruction, up to the comment with its encoding.
inline MachineCode read_machine_code(std::istream& disassembly) {
  constexpr std::string_view head = "Function : ", blanks = " \t";
  MachineCode code;
  std::vector<std::string>* function = nullptr;
  std::string line;
  while (std::getline(disassembly, line)) {
    std::string_view rest = line;
    const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size())); };
    if (const auto at = rest.find(head); at != rest.npos) {
      function = &code[std::string(rest.substr(at + head.size()))];
      continue;
    }
    skip_blanks();
    if (!function || !rest.starts_with("/*")) continue;
    const auto address_end = rest.find_first_not_of("0123456789abcdef", 2);
    if (address_end == rest.npos || !rest.substr(address_end).starts_with("*/")) continue;
    rest.remove_prefix(address_end + 2);
    skip_blanks();
    if (rest.starts_with('@')) {
      rest.remove_prefix(std::min(rest.find_first_of(blanks), rest.size()));
      skip_blanks();
    }
    rest = rest.substr(0, rest.find('/'));
    if (!rest.empty() && rest.front() >= 'A' && rest.front() <= 'Z') function->emplace_back(rest);
  }
  return code;
}

/// The mangled `function` without the names of anonymous namespaces: `46_GLOBAL__N__<hash>_12_<file>_cu_<hash>`. The
/// end of a hash may look like the length of what follows.
inline std::string without_anonymous_namespaces(std::string function) {
  constexpr std::string_view anonymous = "_GLOBAL__N__", digits = "0123456789";
  for (auto at = function.find(anonymous); at != function.npos; at = function.find(anonymous, at)) {
    const auto before = function.find_last_not_of(digits, at - 1);
    const std::size_t begin = before == function.npos ? 0 : before + 1;
    if (begin == at) break;  // no length: not a name
    function.erase(begin, at - begin + std::stoul(function.substr(begin, at - begin)));
    at = begin;
  }
  return function;
}

/// Whether a name in the mangled `function` ends so. Names are preceded by their length.
inline bool has_name_that_ends(const std::string& function, const std::string& ending) {
  for (auto at = function.find(ending); at != function.npos; at = function.find(ending, at + 1))
    for (std::size_t begin = at; begin > 0; --begin) {
      const std::string length = std::to_string(at + ending.size() - begin);
      if (begin >= length.size() && function.compare(begin - length.size(), length.size(), length) == 0) return true;
    }
  return false;
}

/// Whether the mangled `function` is a kernel of the variant `experiment`/`variant` by its namespace: that of kernels
/// which a dispatcher launches, too, or the one that files have when they are combined (cmake/combine.cmake). An own
/// type as template argument names the variant as well.
inline bool is_in_namespace_of(const std::string& function, const std::string& experiment, const std::string& variant) {
  const std::string path = experiment + "_" + variant;
  for (const std::string& name : {path, "crosswarp_cuda_" + path})
    if (function.find(std::to_string(name.size()) + name) != function.npos) return true;
  return false;
}

/// Whether it is one by the name of its file, which nvcc puts into anonymous namespaces, and is in no namespace of
/// another experiment's file of that name.
inline bool is_in_file_of(const std::string& function, const std::string& variant) {
  const std::string file = "_" + std::to_string(variant.size() + 3) + "_" + variant + "_cu_";
  return function.find(file) != function.npos &&
         !has_name_that_ends(without_anonymous_namespaces(function), "_" + variant);
}

/// The largest number of instructions in one kernel of the variant that begin with `beginning`; -1 without a kernel.
inline std::ptrdiff_t most_in_a_kernel(const MachineCode& code, const std::string& experiment,
                                       const std::string& variant, std::string_view beginning) {
  const auto most_where = [&](auto is_kernel) {
    std::ptrdiff_t most = -1;
    for (const auto& [name, instructions] : code)
      if (is_kernel(name))
        most = std::max(most, std::count_if(instructions.begin(), instructions.end(),
                                            [&](const std::string& i) { return i.starts_with(beginning); }));
    return most;
  };
  const auto most = most_where([&](const std::string& name) { return is_in_namespace_of(name, experiment, variant); });
  return most >= 0 ? most : most_where([&](const std::string& name) { return is_in_file_of(name, variant); });
}

/// Whether ptxas serialized the warpgroup matrix instructions: each commits a group of its own (`gsb0`). It does so
/// where other instructions access the accumulators meanwhile, and only informs of it (C7510 to C7520).
inline bool is_serialized(const std::vector<std::string>& instructions) {
  std::ptrdiff_t all = 0, committing = 0;
  for (const std::string& i : instructions)
    if (i.starts_with("HGMMA") || i.starts_with("QGMMA")) {
      ++all;
      committing += i.find("gsb0") != i.npos;
    }
  return all > 1 && committing == all;
}

}  // namespace crosswarp

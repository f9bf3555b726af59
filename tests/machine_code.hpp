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

/// Whether the mangled `function` is a kernel of the variant `experiment`/`variant`: by the file's name, which nvcc
/// puts into anonymous namespaces; by the namespace that it has instead among combined files (cmake/combine.cmake); or
/// by the namespace of kernels that a dispatcher launches, too. An own type as template argument names the variant as
/// well.
inline bool is_kernel_of(const std::string& function, const std::string& experiment, const std::string& variant) {
  const auto mangled = [](const std::string& name) { return std::to_string(name.size()) + name; };
  const std::string path = experiment + "_" + variant;
  for (const std::string& name : {"_" + std::to_string(variant.size() + 3) + "_" + variant + "_cu_",
                                  mangled("crosswarp_cuda_" + path), mangled(path)})
    if (function.find(name) != function.npos) return true;
  return false;
}

/// The largest number of instructions in one kernel of the variant that begin with `beginning`; -1 without a kernel.
inline std::ptrdiff_t most_in_a_kernel(const MachineCode& code, const std::string& experiment,
                                       const std::string& variant, std::string_view beginning) {
  std::ptrdiff_t most = -1;
  for (const auto& [name, instructions] : code)
    if (is_kernel_of(name, experiment, variant))
      most = std::max(most, std::count_if(instructions.begin(), instructions.end(),
                                          [&](const std::string& i) { return i.starts_with(beginning); }));
  return most;
}

/// Whether ptxas serialized the warpgroup matrix instructions: each commits a group of its own (`gsb0`). It does so
/// where other instructions access the accumulators meanwhile, and only informs of it (C7510 to C7520).
inline bool is_serialized(const std::vector<std::string>& instructions) {
  std::ptrdiff_t all = 0, committing = 0;
  for (const std::string& i : instructions)
    if (i.starts_with("HGMMA")) {
      ++all;
      committing += i.find("gsb0") != i.npos;
    }
  return all > 1 && committing == all;
}

}  // namespace crosswarp

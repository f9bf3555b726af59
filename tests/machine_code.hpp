// Counts instructions in what NVIDIA's disassembler prints.
#pragma once

#include <algorithm>
#include <istream>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp {

/// The instructions of each function, from their mnemonics on, as `FFMA R0, R0, R1, R2 ;`.
using MachineCode = std::map<std::string, std::vector<std::string>>;

/// Reads what `cuobjdump -sass` printed. An instruction's line has its address in a comment, and perhaps a predicate.
inline MachineCode read_machine_code(std::istream& disassembly) {
  const std::regex instruction(R"(^\s*/\*[0-9a-f]{4,}\*/\s+(?:@\S+\s+)?([A-Z][^/]*))");
  constexpr std::string_view head = "Function : ";
  MachineCode code;
  std::vector<std::string>* function = nullptr;
  std::smatch match;
  for (std::string line; std::getline(disassembly, line);)
    if (const auto at = line.find(head); at != line.npos)
      function = &code[line.substr(at + head.size())];
    else if (function && std::regex_search(line, match, instruction))
      function->push_back(match[1]);
  return code;
}

/// The most instructions that begin so in any one function of the file `<stem>.cu`, whose name nvcc puts into the name
/// of its anonymous namespace. -1: no function is of that file.
inline std::ptrdiff_t most_in_a_function(const MachineCode& code, const std::string& stem, std::string_view beginning) {
  const std::string file = "_" + std::to_string(stem.size() + 3) + "_" + stem + "_cu_";
  std::ptrdiff_t most = -1;
  for (const auto& [name, instructions] : code)
    if (name.find(file) != name.npos)
      most = std::max(most, std::count_if(instructions.begin(), instructions.end(),
                                          [&](const std::string& i) { return i.starts_with(beginning); }));
  return most;
}

/// Whether the matrix instructions of warpgroups wait for one another: each closes a group (`gsb0`). ptxas writes them
/// so where other instructions touch their sums meanwhile, and only informs of it (C7510 and its like).
inline bool is_serialized(const std::vector<std::string>& instructions) {
  std::ptrdiff_t all = 0, closing = 0;
  for (const std::string& i : instructions)
    if (i.starts_with("HGMMA")) {
      ++all;
      closing += i.find("gsb0") != i.npos;
    }
  return all > 1 && closing == all;
}

}  // namespace crosswarp

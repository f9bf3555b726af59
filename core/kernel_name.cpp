#include "core/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace crosswarp {

std::string kernel_name(const char* symbol) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(symbol, nullptr, nullptr, &failed),
                                                        std::free);
  if (failed) return symbol;
  std::string name = readable.get();
  for (const std::string_view dropped : {"(anonymous namespace)::", "crosswarp::gpu::cuda::", "crosswarp::gpu::hip::",
                                         "crosswarp::gpu::", "(bool)", "(int)", "(unsigned int)"})
    for (std::size_t at = name.find(dropped); at != std::string::npos; at = name.find(dropped))
      name.erase(at, dropped.size());
  int depth = 0;  // of template arguments
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth > 0 || name[i] != '(') continue;
    name.resize(i);
    break;
  }
  constexpr std::string_view returned = "void ";  // of templates
  return name.starts_with(returned) ? name.substr(returned.size()) : name;
}

}  // namespace crosswarp

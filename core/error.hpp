// The error type: message, error code, source location.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace crosswarp {

/// Thrown for all failures. what() is one line that a user can act on.
class Error : public std::runtime_error {
 public:
  /// `message`: one line without a full stop. `code`: the failing interface's error code; 0 for none.
  explicit Error(const std::string& message, int code = 0, std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), where_(where) {}

  int code() const { return code_; }
  const std::source_location& where() const { return where_; }

 private:
  int code_;
  std::source_location where_;
};

}  // namespace crosswarp

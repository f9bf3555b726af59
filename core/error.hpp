// The one error type of the project: what was tried, what came back, and where.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace crosswarp {

/// Thrown wherever something cannot be done. `what()` is one line that a user can act on.
class Error : public std::runtime_error {
 public:
  /// `message`: one line, without a trailing full stop. `code`: the failing interface's own number, 0 where there is
  /// none.
  explicit Error(const std::string& message, int code = 0, std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), where_(where) {}

  int code() const { return code_; }
  const std::source_location& where() const { return where_; }

 private:
  int code_;
  std::source_location where_;
};

}  // namespace crosswarp

// What every error of the project owes its reader, as one assertion.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "core/error.hpp"

namespace crosswarp {

/// Whether `action` throws an Error that says `part`, in one line without a trailing full stop.
testing::AssertionResult refuses(const auto& action, std::string_view part) {
  try {
    action();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.find(part) == message.npos) return testing::AssertionFailure() << "says '" << message << "'";
    if (message.find_first_of("\r\n") != message.npos)
      return testing::AssertionFailure() << "more than one line: '" << message << "'";
    if (message.ends_with('.')) return testing::AssertionFailure() << "a full stop: '" << message << "'";
    return testing::AssertionSuccess();
  } catch (const std::exception& other) {
    return testing::AssertionFailure() << "throws something that is no Error: " << other.what();
  }
  return testing::AssertionFailure() << "throws nothing";
}

}  // namespace crosswarp

// Fiber: a function on a stack of its own that can suspend and resume. Boost.Context switches stacks; sanitizers are
// notified of each switch.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <functional>
#include <initializer_list>

namespace crosswarp::simt {

class Fiber {
 public:
  /// Whether one fiber may run several threads of a block; false under ThreadSanitizer, which must tell them apart.
  static const bool serves_many;

  /// `work` begins at the first resume() and never returns.
  explicit Fiber(std::function<void(Fiber&)> work);

  /// Called from outside: runs the work until it suspends.
  void resume();
  /// Called from within: returns to the caller of resume().
  void suspend();

  bool idle = true;  ///< Kept for the owner.

 private:
  boost::context::fiber begin(boost::context::fiber&& outside);

  std::function<void(Fiber&)> work_;
  boost::context::protected_fixedsize_stack allocator_;
  boost::context::stack_context stack_;
  boost::context::fiber inside_, outside_;
  const void* outside_stack_ = nullptr;
  std::size_t outside_size_ = 0;
  void* name_ = nullptr;  // the sanitizer's handle
  void* outside_name_ = nullptr;
};

/// Happens-before edges for ThreadSanitizer, since a switch is none: release_to(address) in one fiber synchronizes with
/// a later acquire_from(address) in another.
void release_to(void* address);
void acquire_from(void* address);

/// A sequence of events beside those of the running fiber, for ThreadSanitizer.
class Timeline {
 public:
  Timeline();
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Acquires from all of `from`, does `work`, then releases to `to`. For the running fiber nothing of it happens.
  void pass(std::initializer_list<void*> from, const std::function<void()>& work, void* to);

 private:
  void* name_ = nullptr;  // the sanitizer's handle
};

}  // namespace crosswarp::simt

// A stack of its own for a piece of work that can be left and taken up again. Boost.Context switches; the sanitizers are
// told, since they would otherwise take one stack for another.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <functional>

namespace crosswarp::simt {

class Fiber {
 public:
  /// Whether one fiber may serve several threads: not where each must be known to ThreadSanitizer.
#if defined(__SANITIZE_THREAD__)
  static constexpr bool serves_many = false;
#else
  static constexpr bool serves_many = true;
#endif

  /// `work` begins at the first resume() and never returns.
  explicit Fiber(std::function<void(Fiber&)> work);

  /// Called from outside: goes on with the work until it suspends.
  void resume();
  /// Called from within: goes back to whoever resumed.
  void suspend();

  bool idle = true;  ///< For whoever keeps fibers.

 private:
  boost::context::fiber begin(boost::context::fiber&& outside);

  std::function<void(Fiber&)> work_;
  boost::context::protected_fixedsize_stack allocator_;
  boost::context::stack_context stack_;
  boost::context::fiber inside_, outside_;
  const void* outside_stack_ = nullptr;
  std::size_t outside_size_ = 0;
};

}  // namespace crosswarp::simt

// A stack of its own for a piece of work that can be left and taken up again. Boost.Context switches; the sanitizers
// are told, since they would otherwise take one stack for another.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <functional>

namespace crosswarp::simt {

class Fiber {
 public:
  /// Whether one fiber may do the work of several threads of a block: not where ThreadSanitizer must tell them apart.
  static const bool serves_many;

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
  void* name_ = nullptr;  // by which a sanitizer knows it
  void* outside_name_ = nullptr;
};

/// For ThreadSanitizer alone, to which a switch orders nothing: what came before release_to(place) in one fiber comes
/// before what follows a later acquire_from(place) in another.
void release_to(void* place);
void acquire_from(void* place);

}  // namespace crosswarp::simt

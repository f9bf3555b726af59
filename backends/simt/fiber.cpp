// Every switch is announced to AddressSanitizer with the stack that it goes to, and to ThreadSanitizer as one to another
// thread that nothing orders with the last one.
#include "backends/simt/fiber.hpp"

#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace crosswarp::simt {
namespace {

constexpr std::size_t stack_size = 256 << 10;  // reserved; a thread touches a few kilobytes of it

#if defined(__SANITIZE_ADDRESS__)
void leave_for(void** own, const void* bottom, std::size_t size) { __sanitizer_start_switch_fiber(own, bottom, size); }
void arrive(void* own, const void** from, std::size_t* from_size) {
  __sanitizer_finish_switch_fiber(own, from, from_size);
}
#else
void leave_for(void**, const void*, std::size_t) {}
void arrive(void*, const void**, std::size_t*) {}
#endif

}  // namespace

Fiber::Fiber(std::function<void(Fiber&)> work)
    : work_(std::move(work)), allocator_(stack_size), stack_(allocator_.allocate()) {
  inside_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_), allocator_,
      [this](boost::context::fiber&& outside) { return begin(std::move(outside)); });
}

boost::context::fiber Fiber::begin(boost::context::fiber&& outside) {
  arrive(nullptr, &outside_stack_, &outside_size_);
  outside_ = std::move(outside);
  work_(*this);
  return std::move(outside_);
}

void Fiber::resume() {
  void* own = nullptr;
  leave_for(&own, static_cast<std::byte*>(stack_.sp) - stack_.size, stack_.size);
  inside_ = std::move(inside_).resume();
  arrive(own, nullptr, nullptr);
}

void Fiber::suspend() {
  void* own = nullptr;
  leave_for(&own, outside_stack_, outside_size_);
  outside_ = std::move(outside_).resume();
  arrive(own, &outside_stack_, &outside_size_);
}

}  // namespace crosswarp::simt

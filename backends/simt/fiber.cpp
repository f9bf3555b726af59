// Every switch is announced to AddressSanitizer with the stack that it goes to, and to ThreadSanitizer as one to
// another thread that nothing orders with the last one. This file itself is compiled without them, since its own memory
// is ordered by the switches; CROSSWARP_ASAN or CROSSWARP_TSAN says which one the program has.
#include "backends/simt/fiber.hpp"

#include <utility>

#if defined(CROSSWARP_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(CROSSWARP_TSAN)
#include <sanitizer/tsan_interface.h>

/// OpenMP's own synchronisation is unknown to ThreadSanitizer, which takes its threads' sharing with the one that
/// forked them for races. The kernels are not run by these, nor do they share memory with what makes the references.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libgomp.so\n"
         "race:crosswarp::reference_gemm\n"
         "race:crosswarp::(anonymous namespace)::multiply<\n"
         "race:crosswarp::reference_row_sums\n"
         "race:crosswarp::compare_elements\n";
}
#endif

namespace crosswarp::simt {
namespace {

constexpr std::size_t stack_size = 256 << 10;  // reserved; a thread touches a few kilobytes of it

#if defined(CROSSWARP_ASAN)
void leave_for(void** own, const void* bottom, std::size_t size, void*) {
  __sanitizer_start_switch_fiber(own, bottom, size);
}
void arrive(void* own, const void** from, std::size_t* from_size) {
  __sanitizer_finish_switch_fiber(own, from, from_size);
}
#elif defined(CROSSWARP_TSAN)
void leave_for(void**, const void*, std::size_t, void* name) {
  __tsan_switch_to_fiber(name, __tsan_switch_to_fiber_no_sync);
}
void arrive(void*, const void**, std::size_t*) {}
#else
void leave_for(void**, const void*, std::size_t, void*) {}
void arrive(void*, const void**, std::size_t*) {}
#endif

}  // namespace

#if defined(CROSSWARP_TSAN)
const bool Fiber::serves_many = false;
void release_to(void* address) { __tsan_release(address); }
void acquire_from(void* address) { __tsan_acquire(address); }

Timeline::Timeline() : name_(__tsan_create_fiber(0)) {}
Timeline::~Timeline() { __tsan_destroy_fiber(name_); }
void Timeline::pass(std::initializer_list<void*> from, const std::function<void()>& work, void* to) {
  void* const here = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(name_, __tsan_switch_to_fiber_no_sync);
  for (void* address : from) __tsan_acquire(address);
  work();
  __tsan_release(to);
  __tsan_switch_to_fiber(here, __tsan_switch_to_fiber_no_sync);
}
#else
const bool Fiber::serves_many = true;
void release_to(void*) {}
void acquire_from(void*) {}

Timeline::Timeline() = default;
Timeline::~Timeline() = default;
void Timeline::pass(std::initializer_list<void*>, const std::function<void()>& work, void*) { work(); }
#endif

Fiber::Fiber(std::function<void(Fiber&)> work)
    : work_(std::move(work)), allocator_(stack_size), stack_(allocator_.allocate()) {
  inside_ =
      boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_),
                            allocator_, [this](boost::context::fiber&& outside) { return begin(std::move(outside)); });
#if defined(CROSSWARP_TSAN)
  name_ = __tsan_create_fiber(0);
#endif
}

boost::context::fiber Fiber::begin(boost::context::fiber&& outside) {
  arrive(nullptr, &outside_stack_, &outside_size_);
  outside_ = std::move(outside);
  work_(*this);
  return std::move(outside_);
}

void Fiber::resume() {
#if defined(CROSSWARP_TSAN)
  outside_name_ = __tsan_get_current_fiber();
#endif
  void* own = nullptr;
  leave_for(&own, static_cast<std::byte*>(stack_.sp) - stack_.size, stack_.size, name_);
  inside_ = std::move(inside_).resume();
  arrive(own, nullptr, nullptr);
}

void Fiber::suspend() {
  void* own = nullptr;
  leave_for(&own, outside_stack_, outside_size_, outside_name_);
  outside_ = std::move(outside_).resume();
  arrive(own, &outside_stack_, &outside_size_);
}

}  // namespace crosswarp::simt

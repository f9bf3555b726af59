// Hands its result over from a thread, 5 ms after the launch has returned.
// caught by: timed run
// says: was not there behind
#include <chrono>
#include <thread>

#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  static std::jthread worker;
  if (worker.joinable()) worker.join();
  worker = std::jthread([result = add_serially(args.f32().in), out = args.f32().out.data()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    *out = result;
  });
}

const Register<ReduceSum> variant{{.idea = "broken: goes on in a thread", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host

// A socket for requests and replies, and a shared page with the position, which outlives a crash.
#include "bench/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include "bench/executor.hpp"
#include "bench/interrupt.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr auto patience = std::chrono::seconds(20);  // for a worker to exit

Error cannot(const char* what) { return Error(fmt::format("no worker: {} ({})", what, std::strerror(errno)), errno); }

Position* map_position(int descriptor) {
  void* memory = mmap(nullptr, sizeof(Position), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) throw cannot("mmap");
  return static_cast<Position*>(memory);
}

/// In the child: becomes the worker. Async-signal-safe calls only.
[[noreturn]] void become_worker(pid_t parent, int socket, int page, char* const* arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent died before prctl()
  for (const int descriptor : {socket, page}) fcntl(descriptor, F_SETFD, 0);
  execv("/proc/self/exe", arguments);
  _exit(127);
}

/// Answers one request.
Message answer(const Message& request, InProcess& here, std::size_t ordinal) {
  const std::string what = request.head.at("do");
  const auto backend = [&]() -> const Backend& { return Registry::instance().backend(request.head.at("backend")); };
  Message reply{nlohmann::ordered_json::object(), {}};
  if (const auto known = request.head.find("bandwidth"); known != request.head.end())
    here.runner.assume_bandwidth(known->at("key"), known->at("value"));
  if (what == "device_key") {
    const std::vector<DeviceInfo> devices = backend().devices();
    reply.head["key"] = ordinal < devices.size() ? devices[ordinal].key : "";
  } else if (what == "status") {
    const DeviceStatus& status = here.status(backend(), request.head.at("ranks"));
    reply.head["why_not"] = status.why_not;
    reply.head["free_memory"] = status.free_memory;
    if (status.device) reply.head["device"] = to_json(*status.device);
  } else if (what == "bandwidth") {
    reply.head["value"] = here.measured_bandwidth(backend());
  } else if (what == "used_by_others") {
    if (const auto share = here.used_by_others(backend())) reply.head["value"] = *share;
  } else if (what == "count") {
    reply.results = request.results;
    here.count(reply.results);
  } else if (what == "energy") {
    reply.results = request.results;
    here.energy(reply.results);
  } else if (what == "accuracy") {
    reply.results = request.results;
    here.accuracy(reply.results);
  } else {
    std::vector<Cell> cells;
    for (const Result& asked : request.results) cells.push_back(asked.cell);
    if (what == "verify")
      for (const Cell& cell : cells) reply.results.push_back(here.verify(cell));
    else
      reply.results = here.run(cells, request.results.front().mode, request.head.at("backends"),
                               request.results.front().launch_by, stop_rule(request.head.at("stop")));
  }
  return reply;
}

std::string why_lost(const Message& reply, const Position& position) {
  if (position.cell >= reply.results.size()) return "the device was lost";
  const Result& culprit = reply.results[position.cell];
  if (culprit.accuracy && !culprit.accuracy->why_not.empty()) return culprit.accuracy->why_not;
  if (culprit.energy && !culprit.energy->why_not.empty()) return culprit.energy->why_not;
  return culprit.counters && !culprit.counters->why_not.empty() ? culprit.counters->why_not : culprit.note;
}

}  // namespace

Worker::Worker(const std::vector<std::string>& arguments) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw cannot("socketpair");
  channel_ = std::make_unique<Channel>(sockets[0]);
  const int page = memfd_create("crosswarp", MFD_CLOEXEC);
  if (page < 0 || ftruncate(page, sizeof(Position)) != 0) throw cannot("memfd_create");
  position_ = new (map_position(page)) Position;
  const std::string flag = fmt::format("--worker={},{}", sockets[1], page);
  std::vector<const char*> argv{arguments.front().c_str(), flag.c_str()};
  for (std::size_t i = 1; i < arguments.size(); ++i) argv.push_back(arguments[i].c_str());
  argv.push_back(nullptr);
  const pid_t self = getpid();
  process_ = fork();
  if (process_ == 0) become_worker(self, sockets[1], page, const_cast<char* const*>(argv.data()));
  close(sockets[1]);
  close(page);
  if (process_ < 0) throw cannot("fork");
}

Worker::~Worker() {
  if (process_ > 0) kill();
  how_it_ended();
  munmap(position_, sizeof(Position));
}

bool Worker::is_alive() {
  is_over_ = is_over_ || waitpid(process_, &status_, WNOHANG) == process_;
  return !is_over_;
}

void Worker::kill() {
  if (is_alive()) ::kill(process_, SIGKILL);
}

std::string Worker::how_it_ended() {
  // A process in a driver call may outlive SIGKILL: then it is abandoned.
  for (const auto began = std::chrono::steady_clock::now(); is_alive();) {
    if (std::chrono::steady_clock::now() - began > patience) return "does not end";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFSIGNALED(status_)) return strsignal(WTERMSIG(status_));
  return WEXITSTATUS(status_) == 0 ? "" : fmt::format("exit code {}", WEXITSTATUS(status_));
}

std::string Worker::dismiss() {
  channel_.reset();
  const std::string how = how_it_ended();
  kill();
  return how;
}

int serve(const Options& options) {
  // The parent ends this process: Ctrl-C on a terminal reaches both.
  ignore_interrupts();
  int socket = 0, page = 0;
  if (std::sscanf(options.worker.c_str(), "%d,%d", &socket, &page) != 2) throw Error("--worker: internal option");
  for (const int descriptor : {socket, page}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  Channel channel(socket);
  Options mine = options;
  Position& position = *(mine.run.position = map_position(page));
  InProcess here(mine);
  while (channel.wait(-1))
    while (const auto request = channel.next()) {
      Message reply = answer(*request, here, options.run.device);
      const bool lost = here.runner.lost_device();
      if (lost)
        reply = {{{"lost", why_lost(reply, position)}}, {}};  // the reason
      else
        position.enter(Position::none);
      channel.send(reply);
      if (lost) _exit(0);  // destructors would wait for the lost device
    }
  return 0;
}

}  // namespace crosswarp

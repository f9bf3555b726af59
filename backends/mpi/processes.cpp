// Processes by MPI's C interface. Control messages, gates and data have a communicator each. Threads: the main one, the
// one that runs cells, and each rank's queue (MPI_THREAD_MULTIPLE).
#include "backends/mpi/processes.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/processes.hpp"
#include "core/ranks.hpp"

namespace crosswarp::mpi {
namespace {

constexpr int tag = 1;

/// Passes the time until what it waits for is there: awake at first, then asleep for longer and longer.
class Patience {
 public:
  void wait() {
    constexpr int awake = 64;
    constexpr std::chrono::microseconds most(250);
    if (++times_ < awake) return std::this_thread::yield();
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(2 * pause_, most);
  }

 private:
  int times_ = 0;
  std::chrono::microseconds pause_{20};
};

/// A rank's line in memory that the processes of a host share.
struct Line {
  std::size_t rank;
  pid_t process;
  std::atomic<std::uint64_t> collectives;  // entered so far
};

/// The state of a process in /proc: `R`, `T` for stopped, `Z` for ended; 0 where there is none.
char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_ends = text.rfind(") ");  // the name may hold anything
  return name_ends == text.npos || name_ends + 2 >= text.size() ? '\0' : text[name_ends + 2];
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data(), static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

/// Cores that this process may use: none where the system does not tell. A launcher may bind each process to its own.
cpu_set_t own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_ZERO(&cores);
  return cores;
}

/// Ends this process with its parent, the launcher: nobody else would.
void follow_the_launcher() {
  std::thread([parent = getppid()] {
    while (getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    _exit(1);
  }).detach();
}

class MpiProcesses final : public Processes {
 public:
  MpiProcesses() {
    follow_the_launcher();
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_MULTIPLE)
      throw Error("this MPI has no MPI_THREAD_MULTIPLE, which ranks as processes need");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0, size = 0, local = 0, local_size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
    check(MPI_Comm_dup(MPI_COMM_WORLD, &control_), "MPI_Comm_dup");
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host_),
          "MPI_Comm_split_type");
    MPI_Comm_rank(host_, &local);
    MPI_Comm_size(host_, &local_size);
    local_rank_ = static_cast<std::size_t>(local);
    std::array<char, 64> name{};
    gethostname(name.data(), name.size() - 1);
    const std::string own = fmt::format("{}, process {}", name.data(), getpid());
    name.fill(0);
    own.copy(name.data(), name.size() - 1);
    std::vector<char> all(size_ * name.size());
    check(MPI_Allgather(name.data(), static_cast<int>(name.size()), MPI_CHAR, all.data(), static_cast<int>(name.size()),
                        MPI_CHAR, MPI_COMM_WORLD),
          "MPI_Allgather");
    for (std::size_t r = 0; r < size_; ++r)
      names_.push_back(fmt::format("rank {} ({})", r, all.data() + r * name.size()));
    const cpu_set_t cores = own_cores();
    cores_.resize(static_cast<std::size_t>(local_size));
    check(MPI_Allgather(&cores, sizeof cores, MPI_BYTE, cores_.data(), sizeof cores, MPI_BYTE, host_), "MPI_Allgather");
    int is_first = local == 0;
    check(MPI_Allreduce(&is_first, &hosts_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    MPI_Win window;
    check(MPI_Win_allocate_shared(sizeof(Line), 1, MPI_INFO_NULL, host_, &own_, &window), "MPI_Win_allocate_shared");
    new (own_) Line{rank_, getpid(), 0};
    MPI_Barrier(host_);
    for (int r = 0; r < local_size; ++r) {
      MPI_Aint bytes = 0;
      int unit = 0;
      Line* line = nullptr;
      check(MPI_Win_shared_query(window, r, &bytes, &unit, &line), "MPI_Win_shared_query");
      lines_.push_back(line);
    }
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  std::size_t local_rank() const override { return local_rank_; }
  std::size_t hosts() const override { return static_cast<std::size_t>(hosts_); }
  std::string name(std::size_t rank) const override { return names_.at(rank); }

  std::map<std::string, std::string> facts() const override {
    return {{"transport", "processes by MPI"}, {"mpi", library_version()}, {"hosts", std::to_string(hosts_)}};
  }
  std::string remark(std::size_t ranks) const override {
    if (hosts_ > 1) return {};
    cpu_set_t together;
    CPU_ZERO(&together);
    for (std::size_t r = 0; r < std::min(ranks, cores_.size()); ++r) CPU_OR(&together, &together, &cores_[r]);
    return shared_cores(ranks, static_cast<std::size_t>(CPU_COUNT(&together)));
  }

  void send(std::size_t to, std::span<const std::byte> message) override {
    if (message.size() > std::numeric_limits<int>::max()) throw Error("a message between ranks is too long");
    MPI_Request request;
    check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(to), tag, control_,
                    &request),
          "MPI_Isend");
    int is_done = 0;
    for (Patience patience;; patience.wait()) {
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done) return;
    }
  }

  std::vector<std::byte> receive(std::size_t from) override {
    int is_there = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    for (Patience patience;; patience.wait()) {
      check(MPI_Improbe(static_cast<int>(from), tag, control_, &is_there, &message, &status), "MPI_Improbe");
      if (is_there) break;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<std::byte> received(static_cast<std::size_t>(bytes));
    check(MPI_Mrecv(received.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return received;
  }

  void form_group(std::size_t ranks) override {
    {
      const std::lock_guard lock(mutex_);
      if (groups_.contains(ranks)) return;
    }
    MPI_Group all, chosen;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int range[1][3] = {{0, static_cast<int>(ranks) - 1, 1}};
    MPI_Group_range_incl(all, 1, range, &chosen);
    Group made;
    check(MPI_Comm_create_group(MPI_COMM_WORLD, chosen, tag, &made.gate), "MPI_Comm_create_group");
    check(MPI_Comm_dup(made.gate, &made.data), "MPI_Comm_dup");
    MPI_Group_free(&chosen);
    MPI_Group_free(&all);
    const std::lock_guard lock(mutex_);
    groups_[ranks] = made;
  }

  void meet(std::size_t ranks) override { check(MPI_Barrier(group(ranks).gate), "MPI_Barrier"); }

  void broadcast(std::size_t ranks, std::span<std::byte> bytes) override {
    check(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, group(ranks).gate), "MPI_Bcast");
  }

  std::string ended() const override {
    for (const Line* line : lines_)
      if (const char state = state_of(line->process); state == '\0' || state == 'Z' || state == 'X')
        return names_[line->rank];
    return {};
  }

  std::string laggards() const override {
    std::string why;
    const auto add = [&](const std::string& reason) { why += (why.empty() ? "" : ", ") + reason; };
    for (const Line* line : lines_)
      if (state_of(line->process) == 'T') add(names_[line->rank] + " is stopped");
    if (!why.empty()) return why;
    std::uint64_t most = 0;
    for (const Line* line : lines_) most = std::max(most, line->collectives.load());
    for (const Line* line : lines_)
      if (line->collectives < most) add(fmt::format("{} has not entered collective {}", names_[line->rank], most));
    return why;
  }

  void finish() override { MPI_Finalize(); }

  MPI_Comm data(std::size_t ranks) const { return group(ranks).data; }
  void note_collective() { own_->collectives.fetch_add(1, std::memory_order_relaxed); }

 private:
  struct Group {
    MPI_Comm gate, data;
  };
  Group group(std::size_t ranks) const {
    const std::lock_guard lock(mutex_);
    return groups_.at(ranks);
  }

  std::size_t rank_ = 0, size_ = 0, local_rank_ = 0;
  int hosts_ = 0;
  std::vector<std::string> names_;
  MPI_Comm control_ = MPI_COMM_NULL, host_ = MPI_COMM_NULL;
  Line* own_ = nullptr;
  std::vector<const Line*> lines_;  // of this host's ranks
  std::vector<cpu_set_t> cores_;    // that each of them may use
  mutable std::mutex mutex_;
  std::map<std::size_t, Group> groups_;  // by number of ranks
};

MpiProcesses* joined = nullptr;  // never destroyed: detached threads and the library outlive main()

[[maybe_unused]] const bool is_registered = [] {
  register_processes([]() -> Processes* { return joined = new MpiProcesses; });
  return true;
}();

}  // namespace

MPI_Comm communicator(std::size_t ranks) { return joined->data(ranks); }

void note_collective() { joined->note_collective(); }

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw Error(fmt::format("{}: {}", what, text.data()), result);
}

}  // namespace crosswarp::mpi

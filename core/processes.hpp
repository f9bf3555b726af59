// Processes of one run, started by a launcher such as mpirun, a rank each: messages between the first one and the
// others.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace crosswarp {

/// What backends/mpi implements. Calls may come from any thread. Throws Error.
class Processes {
 public:
  virtual ~Processes() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  /// Index among the processes of its host: that of its device.
  virtual std::size_t local_rank() const = 0;
  virtual std::size_t hosts() const = 0;
  /// `rank 2 (node1, process 4711)`.
  virtual std::string name(std::size_t rank) const = 0;
  /// Transport and versions, for the context of results.
  virtual std::map<std::string, std::string> facts() const = 0;
  /// What to know about all times; empty for nothing.
  virtual std::string remark(std::size_t ranks) const = 0;

  /// May return before it is received. In order between two processes.
  virtual void send(std::size_t to, std::span<const std::byte> message) = 0;
  /// The next message of a process. Waits for it, mostly asleep: the processors are for the ranks' work.
  virtual std::vector<std::byte> receive(std::size_t from) = 0;

  /// Forms the group of the first `ranks` processes, once. To be called by all of them.
  virtual void form_group(std::size_t ranks) = 0;
  /// Waits for the others of that group, awake. Requires form_group().
  virtual void meet(std::size_t ranks) = 0;
  /// Gives the first process's bytes to the others of that group. To be called by all of them, after form_group().
  virtual void broadcast(std::size_t ranks, std::span<std::byte> bytes) = 0;

  /// The first process of this host that has ended, `rank 2 (node1, process 4711)`; empty for none.
  virtual std::string ended() const = 0;
  /// Ranks that keep the others waiting, as far as one can tell: `rank 2 (…) is stopped`, `rank 1 (…) has not entered
  /// collective 13`; empty for unknown.
  virtual std::string laggards() const = 0;

  /// The last call of each process. Waits for all.
  virtual void finish() = 0;
};

/// The processes that this one belongs to: null unless a launcher started several. Joins them at the first call. Throws
/// Error for a build without MPI.
Processes* joined_processes();

/// Why ranks of one process do not do: `its ranks are processes: mpirun -n 4 bench …`.
std::string needs_processes(std::size_t ranks);

/// Set by backends/mpi when the program starts: joins the processes of the launcher.
using JoinProcesses = Processes* (*)();
void register_processes(JoinProcesses join);

}  // namespace crosswarp

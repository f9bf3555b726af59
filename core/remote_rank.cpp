// Work is enqueued without waiting for an answer; its errors come with the next answer.
#include "core/remote_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/rank_messages.hpp"
#include "core/rank_server.hpp"
#include "core/ranks.hpp"

namespace crosswarp {
namespace {

/// The first process's end of a connection to a device of another.
class Connection {
 public:
  Connection(Processes& processes, std::size_t rank, unsigned device = 0)
      : processes_(processes), rank_(rank), device_(device) {}

  template <class... T>
  void tell(Operation operation, const T&... values) const {
    processes_.send(rank_, Message(operation, device_, values...).bytes());
  }
  /// Waits for the answer. Throws its error.
  template <class... T>
  Reader ask(Operation operation, const T&... values) const {
    tell(operation, values...);
    return answer();
  }
  /// A message whose arguments are added one by one begins so.
  Message begin(Operation operation) const { return Message(operation, device_); }
  Reader ask(const Message& message) const {
    processes_.send(rank_, message.bytes());
    return answer();
  }

 private:
  Reader answer() const {
    Reader reply(processes_.receive(rank_));
    if (!reply.take<bool>()) throw Error(fmt::format("{}: {}", processes_.name(rank_), reply.take_text()));
    return reply;
  }

  Processes& processes_;
  std::size_t rank_;
  unsigned device_;
};

class RemoteBound final : public RankBound {
 public:
  RemoteBound(const Connection& to, unsigned id, std::size_t workspace) : to_(to), id_(id), workspace_(workspace) {}
  /// Waits: then it has no memory of others mapped any more.
  ~RemoteBound() override {
    try {
      to_.ask(Operation::unbind, id_);
    } catch (const std::exception&) {  // of a rank that is gone
    }
  }
  std::size_t workspace() const override { return workspace_; }
  void take_workspaces(std::span<const std::span<std::byte>> workspaces, std::size_t own_rank,
                       std::span<const RankMemory> shared) override {
    Message message = to_.begin(Operation::take_workspaces);
    message.add(id_);
    message.add(own_rank);
    message.add(View(std::as_bytes(workspaces)));
    message.add(shared.size());
    for (const auto& [rank, memory] : shared) {
      message.add(rank);
      add(message, memory);
    }
    to_.ask(message);
  }
  void prepare(View args) override { to_.tell(Operation::prepare, id_, args); }
  void launch(View args) override { to_.tell(Operation::launch, id_, args); }

 private:
  Connection to_;
  unsigned id_;
  std::size_t workspace_;
};

/// The device of another process.
class RemoteRank final : public Device {
 public:
  RemoteRank(DeviceInfo info, Connection to, bool shares_memory)
      : Device(std::move(info)), to_(to), shares_memory_(shares_memory) {}
  ~RemoteRank() override {
    try {
      to_.tell(Operation::close);
    } catch (const std::exception&) {  // of a rank that is gone
    }
  }

  std::unique_ptr<RankBound> bind_remotely(const std::string& variant, const std::string& tuning, View args) override {
    Reader reply = to_.ask(Operation::bind, variant, tuning, args);
    const auto id = reply.take<unsigned>();
    return std::make_unique<RemoteBound>(to_, id, reply.take<std::size_t>());
  }

  bool shares_memory() const override { return shares_memory_; }
  SharedMemory share(const void* within) override {
    Reader reply = to_.ask(Operation::share, within);
    return take_shared_memory(reply);
  }

  void* allocate(std::size_t bytes) override { return to_.ask(Operation::allocate, bytes).take<void*>(); }
  void release(void* memory) noexcept override {
    try {
      to_.tell(Operation::release, memory);
    } catch (const std::exception&) {  // of a rank that is gone
    }
  }
  std::size_t free_memory() const override { return to_.ask(Operation::free_memory).take<std::size_t>(); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    to_.tell(Operation::fill, memory, byte, bytes);
  }
  void read(void* to, const void* from, std::size_t bytes) override {
    constexpr std::size_t piece = std::size_t{1} << 26;
    for (std::size_t at = 0; at < bytes; at += piece) {
      const std::size_t some = std::min(piece, bytes - at);
      Reader reply = to_.ask(Operation::read, static_cast<const void*>(static_cast<const std::byte*>(from) + at), some);
      std::memcpy(static_cast<std::byte*>(to) + at, reply.take_bytes().data(), some);
    }
  }
  void write(void* to, const void* from, std::size_t bytes) override {
    to_.tell(Operation::write, to, View(static_cast<const std::byte*>(from), bytes));
  }
  void copy(void* to, const void* from, std::size_t bytes) override { to_.tell(Operation::copy, to, from, bytes); }
  void note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) override {
    to_.tell(Operation::note_change, memory.data(), memory.size(), byte, seen);
  }
  bool has_changed(std::span<const std::byte> memory, unsigned char byte) override {
    return changed(false, {&memory, 1}, byte);
  }
  bool any_has_changed(std::span<const std::span<const std::byte>> pieces, unsigned char byte) override {
    return changed(true, pieces, byte);
  }
  void generate_elements(const TypedSpan& to, const Elements& elements) override {
    to_.tell(Operation::generate_elements, to, elements);
  }
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override {
    to_.tell(Operation::generate_general, to, numbers);
  }
  void permute(std::span<std::uint32_t> to, const Permutation& order) override {
    to_.tell(Operation::permute, to.data(), to.size(), order);
  }
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override {
    to_.tell(Operation::chain, memory.data(), memory.size(), stride, order, origin);
  }
  void reference_gemm(const Gemm& gemm, const TypedSpan& to) override { to_.tell(Operation::reference_gemm, gemm, to); }
  void reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to) override {
    to_.tell(Operation::reference_row_sums, elements, rows, to);
  }
  using Device::compare;
  Comparison compare(std::span<const std::pair<TypedSpan, TypedSpan>> pairs, const ErrorBound& bound) override {
    std::vector<TypedSpan> flat;
    for (const auto& [actual, reference] : pairs) flat.insert(flat.end(), {actual, reference});
    return to_.ask(Operation::compare, View(std::as_bytes(std::span(flat))), bound).take<Comparison>();
  }
  void relocate(std::size_t placement) override { to_.tell(Operation::relocate, placement); }
  void synchronize() override { to_.ask(Operation::synchronize); }
  bool is_asynchronous() const override { return true; }
  double time(const Batch&) override { throw Error("a rank of another process is timed in its group"); }
  void start(const Batch& batch) override { to_.tell(Operation::start, batch.count, batch.cold, batch.gated); }
  /// Waits until all of the sample is enqueued there, before any gate opens.
  void stop() override { to_.ask(Operation::stop); }
  void open_gate() noexcept override {
    try {
      to_.tell(Operation::open_gate);
    } catch (const std::exception&) {  // of a rank that is gone
    }
  }
  double finish(const Batch&) override { return to_.ask(Operation::finish).take<double>(); }
  void launch_empty(bool pdl) override { to_.tell(Operation::launch_empty, pdl); }
  std::string restore_state() override { return to_.ask(Operation::restore_state).take_text(); }
  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override {
    return to_.ask(Operation::time_read, memory.data(), memory.size(), sweeps).take<double>();
  }

 private:
  bool changed(bool behind_work, std::span<const std::span<const std::byte>> pieces, unsigned char byte) {
    return to_.ask(Operation::any_has_changed, behind_work, View(std::as_bytes(pieces)), byte).take<bool>();
  }

  Connection to_;
  bool shares_memory_;
};

/// `2 ranks share one NVIDIA H200`: their kernels take turns. Empty where no two ranks of a host have one device.
std::string shared_devices(const std::vector<DeviceInfo>& devices) {
  std::map<std::string, std::size_t> ranks;
  for (const DeviceInfo& device : devices)
    if (const std::string bus = bus_of(device); !bus.empty()) ++ranks[bus];
  std::size_t most = 0;
  for (const auto& [bus, count] : ranks) most = std::max(most, count);
  return most > 1 ? fmt::format("{} ranks share one {}", most, devices.front().name) : "";
}

}  // namespace

std::shared_ptr<Device> open_process_ranks(const Backend& backend, std::size_t ranks,
                                           const std::vector<std::size_t>& named, Processes& processes) {
  if (ranks > processes.size())
    throw Error(fmt::format("{} ranks need as many processes; the launcher started {}", ranks, processes.size()));
  static unsigned device = 0;  // the number of the group's devices in all processes
  ++device;
  std::vector<std::shared_ptr<Device>> devices{open_own_rank(backend, processes, named)};
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const Connection to(processes, rank, device);
    Reader reply = to.ask(Operation::open, backend.name(), ranks, View(std::as_bytes(std::span(named))));
    const DeviceInfo info = take_info(reply);
    const bool shares_memory = reply.take<bool>() && processes.hosts() == 1;
    devices.push_back(std::make_shared<RemoteRank>(info, to, shares_memory));
    if (const std::string& own = devices.front()->info().name, &other = devices.back()->info().name; own != other)
      throw Error(fmt::format("{} has another device than rank 0: {} against {}", processes.name(rank), other, own));
  }
  for (std::size_t rank = 1; rank < ranks; ++rank) Connection(processes, rank, device).tell(Operation::form_group);
  processes.form_group(ranks);
  RankGroup::Facts facts = processes.facts();
  std::string remark = processes.remark(ranks);
  if (processes.hosts() == 1) {
    std::vector<DeviceInfo> infos;
    for (const auto& each : devices) infos.push_back(each->info());
    facts.merge(backend.facts_of_ranks(infos));
    if (const std::string shared = shared_devices(infos); !shared.empty()) remark = shared;
  }
  return std::make_shared<RankGroup>(std::move(devices), facts, std::move(remark),
                                     [&processes, ranks] { processes.meet(ranks); });
}

void dismiss_ranks(Processes& processes) {
  for (std::size_t rank = 1; rank < processes.size(); ++rank) Connection(processes, rank).tell(Operation::dismiss);
}

}  // namespace crosswarp

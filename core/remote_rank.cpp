// A message is an operation and its arguments, by value; a reply, whether it went well, and the result or the error.
#include "core/remote_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/ranks.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

enum class Operation : unsigned char {
  open,
  form_group,
  close,
  dismiss,
  allocate,
  share,
  release,
  free_memory,
  fill,
  read,
  write,
  copy,
  note_change,
  any_has_changed,
  generate_elements,
  generate_general,
  permute,
  chain,
  reference_gemm,
  reference_row_sums,
  compare,
  relocate,
  synchronize,
  start,
  stop,
  open_gate,
  finish,
  launch_empty,
  restore_state,
  time_read,
  bind,
  take_workspaces,
  prepare,
  launch,
  unbind,
};

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

/// Writes values one after the other. Both ends are of one build.
class Message {
 public:
  Message() = default;
  template <class... T>
  explicit Message(Operation operation, const T&... values) {
    add(operation);
    (add(values), ...);
  }

  void add(View bytes) {
    add(bytes.size());
    append(bytes.data(), bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <class T>
  requires std::is_trivially_copyable_v<T> &&
      (!std::is_convertible_v<T, View>)&&(!std::is_convertible_v<T, std::string_view>)void add(const T& value) {
    append(static_cast<const void*>(&value), sizeof value);
  }
  View bytes() const { return bytes_; }

 private:
  void append(const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }

  Bytes bytes_;
};

/// Reads them in the same order.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  T take() {
    std::array<std::byte, sizeof(T)> raw;
    std::ranges::copy(next(sizeof(T)), raw.begin());
    return std::bit_cast<T>(raw);
  }
  template <class T>
  std::vector<T> take_all() {
    const View raw = take_bytes();
    std::vector<T> all(raw.size() / sizeof(T));
    if (!all.empty()) std::memcpy(static_cast<void*>(all.data()), raw.data(), raw.size());
    return all;
  }
  View take_bytes() { return next(take<std::size_t>()); }
  std::string take_text() {
    const View text = take_bytes();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

 private:
  View next(std::size_t bytes) {
    if (bytes > bytes_.size() - at_) throw Error("a message between ranks is too short");
    return View(bytes_).subspan(std::exchange(at_, at_ + bytes), bytes);
  }

  Bytes bytes_;
  std::size_t at_ = 0;
};

void add(Message& message, const SharedMemory& memory) {
  message.add(memory.base);
  message.add(memory.bytes);
  message.add(View(memory.handle));
}
SharedMemory take_shared_memory(Reader& reader) {
  SharedMemory memory;
  memory.base = reader.take<std::byte*>();
  memory.bytes = reader.take<std::size_t>();
  const View handle = reader.take_bytes();
  memory.handle.assign(handle.begin(), handle.end());
  return memory;
}

constexpr std::size_t first = 0;

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
  void reference_gemm(const Gemm& gemm, const TypedSpan& to) override {
    to_.tell(Operation::reference_gemm, gemm, to);
  }
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

/// Where a host has fewer devices than ranks, these take turns, and the group's remark says so.
std::size_t ordinal_of(const Backend& backend, const Processes& processes, const std::vector<std::size_t>& named) {
  const std::size_t local = processes.local_rank();
  if (named.empty()) return local % std::max<std::size_t>(1, backend.devices().size());
  if (local >= named.size())
    throw Error(fmt::format("it is process {} of its host, and --devices names {} devices", local, named.size()));
  return named[local];
}

/// Where it is in its host; empty for the host itself. Keys do not tell: a launcher may show each process one device.
std::string bus_of(const DeviceInfo& info) {
  const auto found = info.versions.find("pci");
  return found == info.versions.end() ? "" : found->second;
}

/// `2 ranks share one NVIDIA H200`: their kernels take turns. Empty where no two ranks of a host have one device.
std::string shared_devices(const std::vector<DeviceInfo>& devices) {
  std::map<std::string, std::size_t> ranks;
  for (const DeviceInfo& device : devices)
    if (const std::string bus = bus_of(device); !bus.empty()) ++ranks[bus];
  std::size_t most = 0;
  for (const auto& [bus, count] : ranks) most = std::max(most, count);
  return most > 1 ? fmt::format("{} ranks share one {}", most, devices.front().name) : "";
}

/// What a group wants to know of a device.
void add(Message& message, const DeviceInfo& info) {
  for (const std::string* text : {&info.key, &info.name, &info.architecture}) message.add(*text);
  message.add(bus_of(info));
  message.add(info.memory);
  message.add(info.compute_units);
}
DeviceInfo take_info(Reader& reply) {
  DeviceInfo info;
  for (std::string* text : {&info.key, &info.name, &info.architecture}) *text = reply.take_text();
  if (const std::string bus = reply.take_text(); !bus.empty()) info.versions["pci"] = bus;
  info.memory = reply.take<std::size_t>();
  info.compute_units = reply.take<int>();
  return info;
}

/// The other end, of one device.
class Server {
 public:
  explicit Server(Processes& processes) : processes_(processes) {}

  void serve(Operation operation, Reader& request) {
    try {
      if (const auto result = perform(operation, request)) {
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        Message reply;
        reply.add(true);
        processes_.send(first, concatenated(reply, *result));
      }
    } catch (const std::exception& error) {
      if (!has_answer(operation)) {
        if (!failure_) failure_ = std::current_exception();
        return;
      }
      Message reply;
      reply.add(false);
      reply.add(std::string_view(error.what()));
      processes_.send(first, reply.bytes());
    }
  }

 private:
  static Bytes concatenated(const Message& a, const Message& b) {
    Bytes all(a.bytes().begin(), a.bytes().end());
    all.insert(all.end(), b.bytes().begin(), b.bytes().end());
    return all;
  }

  static bool has_answer(Operation operation) {
    switch (operation) {
      using enum Operation;
      case open:
      case allocate:
      case share:
      case free_memory:
      case read:
      case any_has_changed:
      case compare:
      case synchronize:
      case stop:
      case finish:
      case restore_state:
      case time_read:
      case bind:
      case take_workspaces:
      case unbind:
        return true;
      default:
        return false;
    }
  }

  /// The result, where the operation has an answer.
  std::optional<Message> perform(Operation operation, Reader& request) {
    Message result;
    switch (operation) {
      using enum Operation;
      case open: {
        const Backend& backend = Registry::instance().backend(request.take_text());
        ranks_ = request.take<std::size_t>();
        device_ = backend.open_rank(ordinal_of(backend, processes_, request.take_all<std::size_t>()));
        add(result, device_->info());
        result.add(device_->shares_memory());
        return result;
      }
      case form_group:
        processes_.form_group(ranks_);
        return {};
      default:
        break;
    }
    if (!device_) throw Error("no device is open");
    device_->make_current();
    switch (operation) {
      using enum Operation;
      case allocate:
        result.add(device_->allocate(request.take<std::size_t>()));
        return result;
      case share:
        add(result, device_->share(request.take<const void*>()));
        return result;
      case release:
        device_->release(request.take<void*>());
        return {};
      case free_memory:
        result.add(device_->free_memory());
        return result;
      case fill: {
        void* const memory = request.take<void*>();
        const auto byte = request.take<unsigned char>();
        device_->fill(memory, byte, request.take<std::size_t>());
        return {};
      }
      case read: {
        const void* const from = request.take<const void*>();
        Bytes bytes(request.take<std::size_t>());
        device_->read(bytes.data(), from, bytes.size());
        result.add(View(bytes));
        return result;
      }
      case write: {
        void* const to = request.take<void*>();
        const View bytes = request.take_bytes();
        device_->write(to, bytes.data(), bytes.size());
        return {};
      }
      case copy: {
        void* const to = request.take<void*>();
        const void* const from = request.take<const void*>();
        device_->copy(to, from, request.take<std::size_t>());
        return {};
      }
      case note_change: {
        const std::span memory = take_span<const std::byte>(request);
        const auto byte = request.take<unsigned char>();
        device_->note_change(memory, byte, request.take<unsigned*>());
        return {};
      }
      case any_has_changed: {
        const bool behind_work = request.take<bool>();
        const auto pieces = request.take_all<std::span<const std::byte>>();
        const auto byte = request.take<unsigned char>();
        result.add(behind_work ? device_->any_has_changed(pieces, byte) : device_->has_changed(pieces.at(0), byte));
        return result;
      }
      case generate_elements: {
        const auto to = request.take<TypedSpan>();
        device_->generate_elements(to, request.take<Elements>());
        return {};
      }
      case generate_general: {
        const auto to = request.take<TypedSpan>();
        device_->generate_general(to, request.take<GeneralNumbers>());
        return {};
      }
      case permute: {
        const std::span to = take_span<std::uint32_t>(request);
        device_->permute(to, request.take<Permutation>());
        return {};
      }
      case chain: {
        const std::span memory = take_span<std::byte>(request);
        const auto stride = request.take<std::size_t>();
        const auto order = request.take<Permutation>();
        device_->chain(memory, stride, order, request.take<std::uint64_t>());
        return {};
      }
      case reference_gemm: {
        const auto gemm = request.take<Gemm>();
        device_->reference_gemm(gemm, request.take<TypedSpan>());
        return {};
      }
      case reference_row_sums: {
        const auto elements = request.take<Lattice>();
        const auto rows = request.take<LatticeRows>();
        device_->reference_row_sums(elements, rows, request.take<TypedSpan>());
        return {};
      }
      case compare: {
        const auto flat = request.take_all<TypedSpan>();
        std::vector<std::pair<TypedSpan, TypedSpan>> pairs;
        for (std::size_t i = 0; i + 1 < flat.size(); i += 2) pairs.emplace_back(flat[i], flat[i + 1]);
        result.add(device_->compare(pairs, request.take<ErrorBound>()));
        return result;
      }
      case relocate:
        device_->relocate(request.take<std::size_t>());
        return {};
      case synchronize:
        device_->synchronize();
        return result;
      case start: {
        const auto count = request.take<std::size_t>();
        const bool cold = request.take<bool>();
        batch_.emplace(Batch{.launch = nothing_, .count = count, .cold = cold, .gated = request.take<bool>()});
        device_->start(*batch_);
        return {};
      }
      case stop:
        device_->stop();
        return result;
      case open_gate:
        processes_.meet(ranks_);
        device_->open_gate();
        return {};
      case finish:
        result.add(device_->finish(*batch_));
        return result;
      case launch_empty:
        device_->launch_empty(request.take<bool>());
        return {};
      case restore_state:
        result.add(device_->restore_state());
        return result;
      case time_read: {
        const std::span memory = take_span<const std::byte>(request);
        result.add(device_->time_read(memory, request.take<std::size_t>()));
        return result;
      }
      case bind:
        return bind_variant(request);
      case take_workspaces: {
        RankBound& bound = *bounds_.at(request.take<unsigned>());
        const auto own_rank = request.take<std::size_t>();
        const auto workspaces = request.take_all<std::span<std::byte>>();
        std::vector<RankMemory> shared(request.take<std::size_t>());
        for (auto& [rank, memory] : shared) {
          rank = request.take<std::size_t>();
          memory = take_shared_memory(request);
        }
        bound.take_workspaces(workspaces, own_rank, shared);
        return result;
      }
      case prepare: {
        RankBound& bound = *bounds_.at(request.take<unsigned>());
        bound.prepare(request.take_bytes());
        return {};
      }
      case launch: {
        RankBound& bound = *bounds_.at(request.take<unsigned>());
        bound.launch(request.take_bytes());
        return {};
      }
      case unbind:
        bounds_.erase(request.take<unsigned>());
        return result;
      default:
        throw Error("no such operation of a rank");
    }
  }

  template <class T>
  static std::span<T> take_span(Reader& request) {
    T* const data = request.take<T*>();
    return {data, request.take<std::size_t>()};
  }

  Message bind_variant(Reader& request) {
    const std::string id = request.take_text(), tuning = request.take_text();
    const auto& variants = Registry::instance().variants();
    const auto found = variants.find(id);
    if (found == variants.end() || !found->second.bind_rank)
      throw Error(fmt::format("{} cannot run across processes", id));
    const auto& tunings = found->second.tunings;
    const auto tuned = std::ranges::find(tunings, tuning, &Tuning::name);
    if (tuned == tunings.end()) throw Error(fmt::format("{} has no tuning {}", id, tuning));
    auto bound = found->second.bind_rank(*device_, *tuned, request.take_bytes());
    Message result;
    result.add(next_bound_);
    result.add(bound->workspace());
    bounds_[next_bound_++] = std::move(bound);
    return result;
  }

  Processes& processes_;
  std::size_t ranks_ = 0;
  std::shared_ptr<Device> device_;
  std::map<unsigned, std::unique_ptr<RankBound>> bounds_;
  unsigned next_bound_ = 0;
  const std::function<void(std::size_t)> nothing_ = [](std::size_t) {};
  std::optional<Batch> batch_;
  std::exception_ptr failure_;  // of an operation without an answer
};

}  // namespace

std::shared_ptr<Device> open_process_ranks(const Backend& backend, std::size_t ranks,
                                           const std::vector<std::size_t>& named, Processes& processes) {
  if (ranks > processes.size())
    throw Error(fmt::format("{} ranks need as many processes; the launcher started {}", ranks, processes.size()));
  static unsigned device = 0;  // the number of the group's devices in all processes
  ++device;
  std::vector<std::shared_ptr<Device>> devices{backend.open_rank(ordinal_of(backend, processes, named))};
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

void serve_rank(Processes& processes) {
  std::map<unsigned, Server> servers;  // by device
  for (;;) {
    Reader request(processes.receive(first));
    const auto operation = request.take<Operation>();
    const auto device = request.take<unsigned>();
    if (operation == Operation::dismiss) return;
    if (operation == Operation::close)
      servers.erase(device);
    else
      servers.try_emplace(device, processes).first->second.serve(operation, request);
  }
}

void dismiss_ranks(Processes& processes) {
  for (std::size_t rank = 1; rank < processes.size(); ++rank) Connection(processes, rank).tell(Operation::dismiss);
}

}  // namespace crosswarp

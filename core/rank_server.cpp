// Work without an answer keeps its error for the next answer, as a GPU's queue does.
#include "core/rank_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/rank_messages.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

/// The other end of RemoteRank, of one device.
class Server {
 public:
  explicit Server(Processes& processes) : processes_(processes) {}

  void serve(Operation operation, Reader& request) {
    try {
      if (const auto result = perform(operation, request)) {
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        Message reply;
        reply.add(true);
        processes_.send(first_process, concatenated(reply, *result));
      }
    } catch (const std::exception& error) {
      if (!has_answer(operation)) {
        if (!failure_) failure_ = std::current_exception();
        return;
      }
      Message reply;
      reply.add(false);
      reply.add(std::string_view(error.what()));
      processes_.send(first_process, reply.bytes());
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
        device_ = open_own_rank(backend, processes_, request.take_all<std::size_t>());
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

std::shared_ptr<Device> open_own_rank(const Backend& backend, const Processes& processes,
                                      const std::vector<std::size_t>& named) {
  const std::size_t local = processes.local_rank();
  if (named.empty()) return backend.open_rank(local % std::max<std::size_t>(1, backend.devices().size()));
  if (local >= named.size())
    throw Error(fmt::format("it is process {} of its host, and --devices names {} devices", local, named.size()));
  return backend.open_rank(named[local]);
}

void serve_rank(Processes& processes) {
  std::map<unsigned, Server> servers;  // by device
  for (;;) {
    Reader request(processes.receive(first_process));
    const auto operation = request.take<Operation>();
    const auto device = request.take<unsigned>();
    if (operation == Operation::dismiss) return;
    if (operation == Operation::close)
      servers.erase(device);
    else
      servers.try_emplace(device, processes).first->second.serve(operation, request);
  }
}

}  // namespace crosswarp

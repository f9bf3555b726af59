// Ranks in other processes. The first process has the experiment, its oracle, and the sampler; a rank of another
// process is a Device whose calls are messages (RemoteRank), which that process serves on its own device
// (core/rank_server.hpp). Work is enqueued without waiting for an answer; its errors come with the next answer, as with
// a GPU's queue.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/processes.hpp"

namespace crosswarp {

/// The group whose rank r is process r. `named`: indices of devices, of which each process takes that of its local
/// rank; empty for all. To be called by the first process, and only there. Throws Error for too few processes or
/// devices, and for devices of several kinds.
std::shared_ptr<Device> open_process_ranks(const Backend& backend, std::size_t ranks,
                                           const std::vector<std::size_t>& named, Processes& processes);

/// Ends the loops of all others (serve_rank()).
void dismiss_ranks(Processes& processes);

}  // namespace crosswarp

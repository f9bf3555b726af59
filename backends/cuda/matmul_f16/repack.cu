// Repacking before a TMA product: operands whose rows begin off 16 bytes, where TMA cannot load, are first copied into
// the workspace with rows at multiples of 128 bytes; `persistent` or `pingpong` multiplies the copies. Bound by the
// matrix units, and by memory bandwidth during the copy.
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/tensor_gemm/row_repacking.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_repack {

#if CROSSWARP_HAS_PTX
Operands shape_of_copies(const MatmulF16::Args& args) { return OperandRepacking(operands(args)).result(); }

std::size_t copied_bytes(const MatmulF16::Args& args) { return OperandRepacking(operands(args)).bytes(); }

unsigned copy_tasks(const MatmulF16::Args& args) { return OperandRepacking(operands(args)).tasks(); }

std::size_t workspace_bytes(const MatmulF16::Args& args, const PersistentConfig& config) {
  return copied_bytes(args) + config.workspace_bytes(args.m, args.n);
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const OperandRepacking repacking(operands(args), queue.workspace);
  launch_repacking(queue, repacking);
  Queue after = queue;
  after.workspace = queue.workspace.subspan(repacking.bytes());
  matmul_f16_persistent::gemm(after, args, repacking.result(), config);
}

PersistentConfig config_of(const Queue& queue) {
  return {.rows = 128,
          .columns = static_cast<unsigned>(queue.tuning["columns"]),
          .cluster = {2, 1},
          .raster = 8,
          .schedule = queue.tuning["pingpong"] ? Schedule::pingpong : Schedule::cooperative};
}
std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(args, config_of(queue));
}
void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, config_of(queue));
}

Tuning tuning(int columns, int pdl, int pingpong = 0) {
  return {{{"columns", columns}, {"pdl", pdl}, {"pingpong", pingpong}}};
}
#endif

const Register<MatmulF16> variant{{
    .idea = "misaligned rows are copied to lines of the workspace, the copies multiplied by persistent or pingpong",
    .bound_by = "the matrix units, after a copy at memory bandwidth",
    .improves = "wgmma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(256, 1), tuning(256, 0), tuning(192, 1), tuning(128, 1), tuning(128, 1, 1)},
    .applies = [](const Point& point) { return !has_aligned_rows(point); },
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"LDG.E.128", 8}, {"STG.E.128", 4}, {"SHF.R", 16}},
#endif
}};

}  // namespace matmul_f16_repack
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu

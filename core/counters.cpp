// The table of counters, with the metrics of Nsight Compute's sections.
#include "core/counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

constexpr std::string_view every_group = "all";

constexpr std::array table{
    Counter{"duration", "ns", "speed", "sum of kernel durations", "gpu__time_duration.sum"},
    Counter{"cycles", "cycle", "speed", "multiprocessor clock cycles in that time", "gpc__cycles_elapsed.max"},
    Counter{"active_cycles", "cycle", "speed", "cycles in which a multiprocessor had a warp, on average",
            "sm__cycles_active.avg"},
    Counter{"sm_clock", "Hz", "speed", "clock of the multiprocessors", "gpc__cycles_elapsed.avg.per_second"},
    Counter{"dram_clock", "Hz", "speed", "clock of the memory", "dram__cycles_elapsed.avg.per_second"},
    Counter{"memory_throughput", "%", "speed", "busiest unit of the memory path, of its peak",
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    Counter{"sm_throughput", "%", "speed", "busiest unit of the multiprocessors, of its peak",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed"},

    Counter{"dram_throughput", "%", "memory", "DRAM bandwidth, of its peak",
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    Counter{"l2_throughput", "%", "memory", "busiest unit of the L2 cache, of its peak",
            "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    Counter{"l1_throughput", "%", "memory", "busiest unit of the L1 caches while active, of its peak",
            "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    Counter{"dram_bytes_read", "B", "memory", "bytes read from DRAM", "dram__bytes_read.sum"},
    Counter{"dram_bytes_written", "B", "memory", "bytes written to DRAM", "dram__bytes_write.sum"},
    Counter{"l2_sectors_written", "sector", "memory", "32-byte sectors that multiprocessors write to L2",
            "lts__t_sectors_srcunit_tex_op_write.sum"},
    Counter{"l1_hit_rate", "%", "memory", "sectors found in L1", "l1tex__t_sector_hit_rate.pct"},
    Counter{"l2_hit_rate", "%", "memory", "sectors found in L2", "lts__t_sector_hit_rate.pct"},
    Counter{"sectors_per_load", "sector", "memory", "32-byte sectors that a warp's load from global memory touches",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    Counter{"sectors_per_store", "sector", "memory", "32-byte sectors that a warp's store to global memory touches",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
    Counter{"l2_reductions", "request", "memory", "atomics without a result that reached L2",
            "lts__t_requests_srcunit_tex_op_red.sum"},
    Counter{"l2_atomics", "request", "memory", "atomics with a result that reached L2",
            "lts__t_requests_srcunit_tex_op_atom.sum"},
    Counter{"l2_atomic_unit", "%", "memory", "time with the busiest L2 slice's atomic unit in use",
            "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed"},

    Counter{"ipc", "inst/cycle", "compute", "warp instructions per active cycle of a multiprocessor",
            "sm__inst_executed.avg.per_cycle_active"},
    Counter{"issue_slots", "%", "compute", "cycles in which a scheduler issued an instruction",
            "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    Counter{"fma_pipe", "%", "compute", "floating-point multiply-add pipes, of their peak",
            "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
    Counter{"alu_pipe", "%", "compute", "integer and logic pipe, of its peak",
            "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"},
    Counter{"tensor_pipe", "%", "compute", "cycles in which the tensor pipe was active",
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    Counter{"tensor_instructions", "inst", "compute",
            "warp instructions of the tensor pipe; includes HFMA2.MMA, which often only loads a constant",
            "sm__inst_executed_pipe_tensor.sum"},

    Counter{"theoretical_occupancy", "%", "occupancy", "resident warps of the largest kernel, of the maximum", ""},
    Counter{"achieved_occupancy", "%", "occupancy", "mean resident warps, of the maximum",
            "sm__warps_active.avg.pct_of_peak_sustained_active"},
    Counter{"active_warps", "warp", "occupancy", "warps resident on a multiprocessor, on average",
            "sm__warps_active.avg.per_cycle_active"},
    Counter{"eligible_warps", "warp", "occupancy", "warps of a scheduler that could issue, on average",
            "smsp__warps_eligible.avg.per_cycle_active"},
    Counter{"blocks", "block", "occupancy", "blocks launched by all kernels", ""},
    Counter{"useful_blocks", "block", "occupancy", "blocks of the largest kernel with work, as its launch declares",
            ""},
    Counter{"waves", "wave", "occupancy", "blocks of the largest kernel over max resident blocks", ""},

    Counter{"dram_active_cycles", "cycle", "workload", "cycles in which a DRAM channel moved data, on average",
            "dram__cycles_active.avg"},
    Counter{"dram_elapsed_cycles", "cycle", "workload", "cycles of all DRAM channels", "dram__cycles_elapsed.sum"},
    Counter{"l1_active_cycles", "cycle", "workload", "cycles in which an L1 cache was active, on average",
            "l1tex__cycles_active.avg"},
    Counter{"l1_elapsed_cycles", "cycle", "workload", "cycles of all L1 caches", "l1tex__cycles_elapsed.sum"},
    Counter{"l2_active_cycles", "cycle", "workload", "cycles in which an L2 slice was active, on average",
            "lts__cycles_active.avg"},
    Counter{"l2_elapsed_cycles", "cycle", "workload", "cycles of all L2 slices", "lts__cycles_elapsed.sum"},
    Counter{"sm_elapsed_cycles", "cycle", "workload", "cycles of all multiprocessors", "sm__cycles_elapsed.sum"},
    Counter{"scheduler_active_cycles", "cycle", "workload", "cycles in which a scheduler had a warp, on average",
            "smsp__cycles_active.avg"},
    Counter{"scheduler_elapsed_cycles", "cycle", "workload", "cycles of all schedulers", "smsp__cycles_elapsed.sum"},

    Counter{"instructions", "inst", "instructions", "warp instructions executed", "smsp__inst_executed.sum"},
    Counter{"cycles_per_issue", "cycle", "instructions", "cycles of a warp between two issued instructions",
            "smsp__average_warp_latency_per_inst_issued.ratio"},
    Counter{"cycles_per_instruction", "cycle", "instructions", "cycles of a warp between two executed instructions",
            "smsp__average_warps_active_per_inst_executed.ratio"},
    Counter{"active_threads", "thread", "instructions", "active threads per warp instruction",
            "smsp__thread_inst_executed_per_inst_executed.ratio"},
    Counter{"unpredicated_threads", "thread", "instructions", "active threads that no predicate switches off",
            "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    Counter{"branches", "branch", "instructions", "branch targets that warps took, with some or all threads",
            "smsp__sass_branch_targets.sum"},
    Counter{"branch_efficiency", "%", "instructions", "uniform branches: all threads of a warp go the same way",
            "smsp__sass_average_branch_targets_threads_uniform.pct", "branches"},

    Counter{"stall_long_scoreboard", "cycle", "stalls", "waiting for global or local memory",
            "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    Counter{"stall_short_scoreboard", "cycle", "stalls", "waiting for shared memory or special functions",
            "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"},
    Counter{"stall_lg_throttle", "cycle", "stalls", "waiting for room in the queue of global and local accesses",
            "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"},
    Counter{"stall_mio_throttle", "cycle", "stalls", "waiting for room in the queue of shared accesses",
            "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"},
    Counter{"stall_tex_throttle", "cycle", "stalls", "waiting for room in the queue of texture accesses",
            "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio"},
    Counter{"stall_membar", "cycle", "stalls", "waiting for a memory fence",
            "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio"},
    Counter{"stall_drain", "cycle", "stalls", "waiting at exit for stores to drain",
            "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"},
    Counter{"stall_barrier", "cycle", "stalls", "waiting for the rest of the block",
            "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
    Counter{"stall_wait", "cycle", "stalls", "waiting for an instruction of fixed latency",
            "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"},
    Counter{"stall_math_pipe", "cycle", "stalls", "waiting for an arithmetic pipe",
            "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"},
    Counter{"stall_tensor", "cycle", "stalls", "waiting for a warpgroup's matrix instructions",
            "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio"},
    Counter{"stall_no_instruction", "cycle", "stalls", "waiting for the instruction cache",
            "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
    Counter{"stall_constant", "cycle", "stalls", "waiting for the constant cache",
            "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio"},
    Counter{"stall_branch", "cycle", "stalls", "waiting for the target of a branch",
            "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio"},
    Counter{"stall_dispatch", "cycle", "stalls", "waiting for the dispatcher",
            "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio"},
    Counter{"stall_sleeping", "cycle", "stalls", "in nanosleep",
            "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio"},
    Counter{"stall_misc", "cycle", "stalls", "stalled for other reasons",
            "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio"},
    Counter{"stall_not_selected", "cycle", "stalls", "eligible, but not selected",
            "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio"},
    Counter{"stall_selected", "cycle", "stalls", "issuing: no stall",
            "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"},

    Counter{"shared_loads", "inst", "shared", "warp instructions that load from shared memory",
            "smsp__inst_executed_op_shared_ld.sum"},
    Counter{"shared_stores", "inst", "shared", "warp instructions that store to shared memory",
            "smsp__inst_executed_op_shared_st.sum"},
    Counter{"shared_wavefronts", "wavefront", "shared", "passes of all accesses",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    Counter{"shared_load_wavefronts", "wavefront", "shared", "passes of loads",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    Counter{"shared_store_wavefronts", "wavefront", "shared", "passes of stores",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    Counter{"shared_ideal_wavefronts", "wavefront", "shared", "passes without bank conflicts", ""},
    Counter{"bank_conflicts", "wavefront", "shared", "extra passes due to bank conflicts",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    Counter{"load_bank_conflicts", "wavefront", "shared", "extra passes of loads",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    Counter{"store_bank_conflicts", "wavefront", "shared", "extra passes of stores",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
};

}  // namespace

std::span<const Counter> all_counters() { return table; }

std::vector<std::string> counter_groups() {
  std::vector<std::string> groups;
  for (const Counter& counter : table)
    if (groups.empty() || groups.back() != counter.group) groups.emplace_back(counter.group);
  return groups;
}

std::vector<const Counter*> select_counters(std::string_view groups) {
  std::vector<std::string> known = counter_groups();
  known.emplace_back(every_group);
  std::vector<std::string> asked{""};
  for (const char c : groups)
    if (c == ',')
      asked.emplace_back();
    else
      asked.back() += c;
  const auto in = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : asked)
    if (!in(known, name)) throw Error(fmt::format("--counters {}: {}", name, did_you_mean(name, known)));
  std::vector<const Counter*> selected;
  for (const Counter& counter : table)
    if (in(asked, every_group) || in(asked, counter.group)) selected.push_back(&counter);
  return selected;
}

std::string show(const Counter& counter, std::optional<double> value) {
  if (!value) return "-";
  if (counter.unit == "%") return fmt::format("{:.1f} %", *value);
  if (counter.unit == "ns") return si(*value * 1e-9, "s");
  if (counter.unit == "B" || counter.unit == "Hz") return si(value, counter.unit);
  if (*value < 1000) return fmt::format("{:.4g}", *value);
  std::string text = si(value, "");
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

std::optional<double> Counters::operator[](std::string_view name) const {
  const auto found =
      std::find_if(counts.begin(), counts.end(), [&](const Count& count) { return count.counter->name == name; });
  return found == counts.end() ? std::nullopt : found->value;
}

double over_kernels(std::span<const double> values, std::span<const double> times, bool adds) {
  double sum = 0, time = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    sum += adds ? values[k] : values[k] * times[k];
    time += times[k];
  }
  return time > 0 ? (adds ? sum : sum / time) : std::nan("");
}

}  // namespace crosswarp

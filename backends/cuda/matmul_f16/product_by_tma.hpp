// The product by Hopper's warpgroups as one launch of as many blocks as are resident: each takes tile after tile, one
// warp copies ahead across tiles, and a tile's sums are written while the next one is multiplied. For factors whose
// rows begin at multiples of 16 bytes.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/tensor_map.hpp"
#include "backends/cuda/matmul_f16/wgmma.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A block's tile: `consumers` warpgroups of 64 rows each multiply, one more copies.
template <unsigned consumers, unsigned columns>
struct TmaTile {
  static constexpr unsigned rows = 64 * consumers, threads = (consumers + 1) * warpgroup_size;
  static constexpr unsigned warps = consumers * warpgroup_size / warp_size();
  static constexpr unsigned panels = columns / row_elements;
  static constexpr unsigned a_bytes = rows * row_bytes, b_bytes = columns * row_bytes;

  /// In shared memory a warp has two panels of C: one that is written, one that is copied.
  static constexpr unsigned panel_bytes = 16 * row_bytes, written_bytes = warps * 2 * panel_bytes;
  /// Of 227 kB; the last one is for the barriers.
  static constexpr unsigned most_bytes = 226 * 1024;
  static constexpr unsigned stages = std::min(8u, (most_bytes - written_bytes) / (a_bytes + b_bytes));
  static constexpr unsigned shared_bytes = stages * (a_bytes + b_bytes) + written_bytes;

  /// Registers of a thread that copies and of one that multiplies. With one warpgroup that multiplies there are enough.
  static constexpr int copying_registers = 40, multiplying_registers = 232;
};

/// The blocks of a cluster, one of which has each of as many tiles. Those in a row need the same part of A, and those
/// in a column the same part of B: each copies its share of these to all of them.
struct ClusterShape {
  unsigned rows, columns;

  __host__ __device__ unsigned size() const { return rows * columns; }
};

/// Where there are fewer tiles than blocks, sums may be taken in parts, each of which is written as float.
struct TmaPlan {
  TileOrder order;  ///< Of clusters' tiles.
  ClusterShape cluster;
  unsigned stages;          ///< Of 64 products of each sum.
  unsigned parts;           ///< Of the sums.
  unsigned stages_of_part;  ///< Of each but the last.
  std::size_t part_pitch;   ///< Elements from one part's C to the next one's.
  bool by_boxes;            ///< C is written by tensor copies, else by its threads.
  bool pdl;                 ///< The first stage comes as far as L2 while the launch before ends.

  static bool can_write_boxes(const MatmulF16::Args& args) { return args.n % (args.f32_out ? 4 : 8) == 0; }

  struct Task {
    TileOrder::Place place;
    unsigned part, first, stages;
  };
  __host__ __device__ unsigned tasks() const { return order.count() * parts; }
  __device__ Task task(unsigned i) const {
    const unsigned part = i / order.count(), first = part * stages_of_part;
    return {order.place(i % order.count()), part, first, std::min(stages_of_part, stages - first)};
  }
};

template <bool bf16, bool b_transposed, unsigned consumers, unsigned columns>
__global__ void __launch_bounds__(TmaTile<consumers, columns>::threads, 1)
    multiply_by_tma([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                    [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                    [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const TmaPlan plan,
                    [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Tile = TmaTile<consumers, columns>;
  constexpr unsigned stages = Tile::stages;
  __shared__ Mbarrier full[stages], empty[stages];
  const unsigned ring_a = uniform(shared_address(aligned_dynamic_shared())), ring_b = ring_a + stages * Tile::a_bytes,
                 written = ring_b + stages * Tile::b_bytes;
  const ClusterShape cluster = plan.cluster;
  const unsigned rank = cluster_rank(), row_in_cluster = rank % cluster.rows, column_in_cluster = rank / cluster.rows;
  const unsigned first_task = blockIdx.x / cluster.size(), clusters = gridDim.x / cluster.size();
  if (threadIdx.x == 0) {
    prefetch_map(a);
    prefetch_map(b);
    if (plan.by_boxes) prefetch_map(c);
    for (unsigned s = 0; s < stages; ++s) {
      full[s].init(1);
      empty[s].init((cluster.rows + cluster.columns - 1) * Tile::warps);
    }
    fence_mbarrier_init();
  }
  // Power is what bounds large products: the fewer instructions, the faster.
  const unsigned group = uniform(threadIdx.x / warpgroup_size), warp = uniform(threadIdx.x / warp_size()),
                 lane = threadIdx.x % warp_size();
  unsigned stage = 0, parity = 0;
  const auto advance = [&] {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  };

  const unsigned first_of_a = column_in_cluster * (Tile::rows / cluster.columns),
                 first_of_b = row_in_cluster * ((b_transposed ? columns : row_elements) / cluster.rows);
  unsigned row_of_blocks = 0;
  for (unsigned j = 0; j < cluster.columns; ++j) row_of_blocks |= 1u << (row_in_cluster + j * cluster.rows);
  const unsigned column_of_blocks = ((1u << cluster.rows) - 1) << column_in_cluster * cluster.rows;
  // A block goes through the depth forwards and backwards in turn: of the rows of A that it shares with the tile
  // before, L2 still has what was read last. That is a tenth of what is read from memory at 4096 and 8192.
  bool is_backwards = false;
  // Calls `use` with each box that this block copies of one of a task's stages: where to, from which map and where, and
  // for which blocks.
  const auto for_boxes = [&](const TmaPlan::Task& task, unsigned turn, auto use) {
    const unsigned row = (task.place.row * cluster.rows + row_in_cluster) * Tile::rows,
                   column = (task.place.column * cluster.columns + column_in_cluster) * columns,
                   depth = (task.first + (is_backwards ? task.stages - 1 - turn : turn)) * row_elements,
                   to_b = ring_b + stage * Tile::b_bytes;
    use(ring_a + stage * Tile::a_bytes + first_of_a * row_bytes, a, row + first_of_a, depth, row_of_blocks);
    if constexpr (b_transposed)
      use(to_b + first_of_b * row_bytes, b, column + first_of_b, depth, column_of_blocks);
    else
      for (unsigned panel = 0; panel < columns; panel += row_elements)
        use(to_b + (panel + first_of_b) * row_bytes, b, depth + first_of_b, column + panel, column_of_blocks);
  };
  const bool is_copying = threadIdx.x == consumers * warpgroup_size;
  if (plan.pdl && is_copying && first_task < plan.tasks())
    for_boxes(plan.task(first_task), 0, [](unsigned, const CUtensorMap& map, unsigned row, unsigned column, unsigned) {
      prefetch_box(map, row, column);
    });
  cluster_arrive_relaxed();
  cluster_wait();
  grid_dependency_sync();

  if (group == consumers) {
    if constexpr (consumers > 1) setmaxnreg_dec<Tile::copying_registers>();
    if (is_copying) {
      const auto load = [&](unsigned to, const CUtensorMap& map, unsigned row, unsigned column, unsigned blocks) {
        if ((blocks & (blocks - 1)) == 0)
          load_box(to, map, row, column, &full[stage]);
        else
          load_box(to, map, row, column, &full[stage], static_cast<std::uint16_t>(blocks));
      };
      for (unsigned i = first_task; i < plan.tasks(); i += clusters, is_backwards = !is_backwards) {
        const TmaPlan::Task task = plan.task(i);
        for (unsigned turn = 0; turn < task.stages; ++turn, advance()) {
          empty[stage].wait(parity ^ 1);  // at once in the first round
          full[stage].arrive_expect_tx(Tile::a_bytes + Tile::b_bytes);
          for_boxes(task, turn, load);
        }
      }
      // Until the cluster's other blocks have told all that they are going to tell: they must find this one there.
      for (unsigned s = 0; s < stages; ++s, advance()) empty[stage].wait(parity ^ 1);
    }
  } else {
    if constexpr (consumers > 1) setmaxnreg_inc<Tile::multiplying_registers>();
    // Once all of the warp's instructions have read a stage, those blocks may copy into it that copy to this one: those
    // of its column and of its row. A lane tells one of them.
    const unsigned in_row = lane - cluster.rows, other_column = in_row < column_in_cluster ? in_row : in_row + 1;
    const unsigned told =
        lane < cluster.rows ? column_in_cluster * cluster.rows + lane : other_column * cluster.rows + row_in_cluster;
    const unsigned empty_there = mapa(shared_address(empty), told);
    const auto release = [&](unsigned s) {
      if (lane < cluster.rows + cluster.columns - 1) Mbarrier::arrive_remote(empty_there + s * sizeof *empty);
    };

    // C is written in panels of 128 bytes of 16 rows a warp. Of the tile before, what waits to be written in the stages
    // of this one, a panel in each: all of its sums in 16 bits, or the second half of them as floats, for more there
    // are no registers. And where it goes.
    std::uint32_t waiting[columns / 4];
    bool is_pending = false;
    unsigned pending_row = 0, pending_column = 0;
    const unsigned panel_columns = out.is_f32 ? 32 : 64;
    // `fill` puts a panel to a place in shared memory, from where it is copied to this column.
    const auto write_panel = [&](unsigned column, unsigned by_way_of, auto fill) {
      fill(by_way_of);
      fence_proxy_async();
      sync_warp();
      if (lane == 0) store_box(c, pending_row, column, by_way_of);
    };
    unsigned next = written + warp * 2 * Tile::panel_bytes, last = next + Tile::panel_bytes;
    const auto is_in_c = [&](unsigned column) { return pending_row < out.rows && column < out.columns; };
    const auto write_panel_if_any = [&](unsigned column, auto fill) {
      if (!is_in_c(column)) return;
      if (lane == 0) bulk_wait_group_read<1>();  // until the copy from there, which is the last but one, has read
      sync_warp();
      write_panel(column, next, fill);
      std::swap(next, last);
    };
    // Threads of odd rows have their pairs in another order, so that those of eight rows go to different banks.
    const auto fill_with_floats = [&](unsigned to, auto value) {
      const unsigned trade = lane / 4 % 2 * 2;
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned j = i / 2, h = i % 2, own = 4 * j + 2 * h, other = 4 * (j ^ 2) + 2 * h;
        store_shared(
            to + swizzled(lane / 4 + 8 * h, 2 * (j ^ trade) + lane % 4 / 2) + lane % 2 * 8,
            trade ? SumPair<float>{value(other), value(other + 1)} : SumPair<float>{value(own), value(own + 1)});
      }
    };
    const auto waiting_panel = [&](unsigned panel) {
      return [&, values = waiting + 16 * panel](unsigned to) {
        if (out.is_f32) {
          fill_with_floats(to, [&](unsigned i) { return __uint_as_float(values[i]); });
        } else {
#pragma unroll
          for (unsigned quad = 0; quad < 4; ++quad)
            store_matrices(to + swizzled(lane % 16, 2 * quad + lane / 16), values + 4 * quad);
        }
      };
    };
    const auto write_waiting_if_any = [&](unsigned panel) {
      if (is_pending) write_panel_if_any(pending_column + panel * panel_columns, waiting_panel(panel));
    };

    float sums[columns / 2];
    for (unsigned i = first_task; i < plan.tasks(); i += clusters) {
      const TmaPlan::Task task = plan.task(i);
      unsigned last_stage = 0;
      for (unsigned turn = 0; turn < task.stages; ++turn, advance()) {
        full[stage].wait(parity);
        start_stage<bf16, b_transposed>(sums, ring_a + stage * Tile::a_bytes + group * 64 * row_bytes,
                                        ring_b + stage * Tile::b_bytes, turn > 0);
        wait_for_wgmma<1>();
        if (turn > 0) release(last_stage);
        last_stage = stage;
        if (turn >= Tile::panels) continue;  // as in most turns: one question for all
#pragma unroll
        for (unsigned panel = 0; panel < Tile::panels; ++panel)
          if (turn == panel) write_waiting_if_any(panel);
      }
#pragma unroll
      for (unsigned panel = 0; panel < Tile::panels; ++panel)
        if (panel >= task.stages) write_waiting_if_any(panel);
      wait_for_wgmma<0>();
      fence_operands(sums);
      release(last_stage);

      pending_row = (task.place.row * cluster.rows + row_in_cluster) * Tile::rows + 16 * warp;
      pending_column = (task.place.column * cluster.columns + column_in_cluster) * columns;
      is_pending = plan.by_boxes;
      if (!is_pending) {
        out.part(task.part * plan.part_pitch).store_fragment<bf16>(pending_row, pending_column, sums);
      } else if (out.is_f32) {
#pragma unroll
        for (unsigned panel = 0; panel < Tile::panels; ++panel)
          write_panel_if_any(pending_column + 32 * panel, [&](unsigned to) {
            fill_with_floats(to, [&](unsigned i) { return sums[16 * panel + i]; });
          });
        pending_column += columns / 2;
#pragma unroll
        for (unsigned i = 0; i < columns / 4; ++i) waiting[i] = __float_as_uint(sums[columns / 4 + i]);
      } else {
#pragma unroll
        for (unsigned i = 0; i < columns / 4; ++i) waiting[i] = Output::packed<bf16>(sums[2 * i], sums[2 * i + 1]);
      }
    }
    static_assert(Tile::panels <= stages);
    // The last tile's panels need not wait for each other: the ring will not be filled again, and of A in it nobody
    // else reads this warp's rows.
#pragma unroll
    for (unsigned panel = 0; panel < Tile::panels; ++panel)
      if (const unsigned column = pending_column + panel * panel_columns; is_pending && is_in_c(column))
        write_panel(column, ring_a + panel * Tile::a_bytes + warp * Tile::panel_bytes, waiting_panel(panel));
    bulk_wait_group_read<0>();
  }
#endif
}

/// What a launch is made with.
struct TmaChoice {
  unsigned rows, columns;  ///< Of a tile: one of those below.
  ClusterShape cluster;    ///< Of 1, 2, 4 or 8 blocks.
  unsigned raster;         ///< Rows of clusters' tiles that are taken together.
  unsigned parts = 1;      ///< Of the sums; none of them empty.

  /// Elements from one part to the next, in the workspace: parts begin at multiples of 16 bytes.
  static std::size_t part_pitch(const MatmulF16::Args& args) { return (args.m * args.n + 3) / 4 * 4; }
  std::size_t workspace_bytes(const MatmulF16::Args& args) const {
    return parts > 1 ? parts * part_pitch(args) * sizeof(float) : 0;
  }
};

/// Calls `use` with the choice's tile: `[&]<unsigned consumers, unsigned columns>()`.
template <class Use>
void with_tile(const TmaChoice& choice, Use&& use) {
  with_constant<64, 128>(choice.rows, [&]<unsigned rows>() {
    with_constant<64, 128, 192, 256>(choice.columns, [&]<unsigned columns>() {
      if constexpr (rows == 128 ? columns >= 128 : columns <= 128) use.template operator()<rows / 64, columns>();
    });
  });
}

/// Clusters of the choice's shape and tiles that the device holds at once; 0 where they do not fit.
inline unsigned resident_clusters(const Queue& queue, const TmaChoice& choice) {
  static std::map<std::tuple<std::string, unsigned, unsigned, unsigned>, int> known;  // asking takes long
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, choice.rows, choice.columns, choice.cluster.size()}, 0);
  if (is_new)
    with_tile(choice, [&]<unsigned consumers, unsigned columns>() {
      using Tile = TmaTile<consumers, columns>;
      const auto kernel = multiply_by_tma<false, false, consumers, columns>;  // as good as any other type
      allow_shared_bytes(reinterpret_cast<const void*>(kernel), Tile::shared_bytes);
      cudaLaunchAttribute attribute[] = {cluster_dimension(choice.cluster.size())};
      cudaLaunchConfig_t config{};
      config.gridDim = choice.cluster.size();
      config.blockDim = Tile::threads;
      config.dynamicSmemBytes = Tile::shared_bytes;
      config.attrs = attribute;
      config.numAttrs = 1;
      check(cudaOccupancyMaxActiveClusters(&found->second, kernel, &config), "resident clusters");
    });
  return static_cast<unsigned>(found->second);
}

inline void multiply_by_tma(const Queue& queue, const MatmulF16::Args& args, const TmaChoice& choice) {
  if (is_done_without_factors(queue, args)) return;
  const unsigned resident = resident_clusters(queue, choice);
  if (resident == 0) throw Error("no cluster of such blocks fits on this device");
  with_tile(choice, [&]<unsigned consumers, unsigned columns>() {
    using Tile = TmaTile<consumers, columns>;
    const unsigned stages = blocks_for(args.k, row_elements);
    const TmaPlan plan{.order = {blocks_for(args.m, choice.cluster.rows * Tile::rows),
                                 blocks_for(args.n, choice.cluster.columns * columns), choice.raster},
                       .cluster = choice.cluster,
                       .stages = stages,
                       .parts = choice.parts,
                       .stages_of_part = blocks_for(stages, choice.parts),
                       .part_pitch = choice.part_pitch(args),
                       .by_boxes = TmaPlan::can_write_boxes(args) && choice.parts == 1,
                       .pdl = queue.pdl};
    const unsigned blocks = std::min(plan.tasks(), resident) * choice.cluster.size();
    const CUtensorMap a = tensor_map(factor_a(args), Tile::rows / choice.cluster.columns);
    const CUtensorMap b =
        tensor_map(factor_b(args), (args.b_transposed ? columns : row_elements) / choice.cluster.rows);
    const CUtensorMap c =
        plan.by_boxes ? tensor_map(args.c.data(), extent(args.m), extent(args.n), 16, args.f32_out) : CUtensorMap{};
    const Output out(args);
    with_factors(args, [&]<bool bf16, bool b_transposed>() {
      const auto kernel = multiply_by_tma<bf16, b_transposed, consumers, columns>;
      launch_clusters(choice.cluster.size(), kernel, blocks, Tile::threads, Tile::shared_bytes, queue, a, b, c, plan,
                      choice.parts == 1 ? out : Output::of_floats(queue.workspace.data(), out));
    });
    if (choice.parts > 1) launch_add_partials(queue, plan.part_pitch, choice.parts, args.m * args.n, out);
  });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif

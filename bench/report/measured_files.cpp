// What `scripts/measure --files` prints; tests/folder_check_test.cpp compares them.
#include "bench/report/folder_check.hpp"

namespace crosswarp {

const std::string_view measured_files = R"(matmul_f32 --all --backend cuda,kokkos
matmul_f16 --all --backend cuda,kokkos
matmul_f64 --all --backend cuda,kokkos
matmul_f8 --all --backend cuda,kokkos
matmul_tf32 --all --backend cuda,kokkos
matrix_layout --all --backend cuda,kokkos
row_sum --all --backend cuda,kokkos
atomic_contention --all --backend cuda,kokkos
launch_overhead --all --backend cuda,kokkos
op_latency --all --backend cuda,kokkos
warp_divergence --all --backend cuda,kokkos
concurrent_kernels --all --backend cuda,kokkos
reduce_sum --backend cuda,kokkos --experiment reduce_sum --n 2^10:2^30:x4
reduce_sum_again --backend cuda,kokkos --experiment reduce_sum --n 2^10:2^30:x4 --variant adaptive,float4,last_block,flagged_partials,cub,range,range_host_result,team,unrolled
reduce_sum_sizes --backend cuda --experiment reduce_sum --variant adaptive,float4,cub --placements 4 --n 1000,2000:2000000000:x10,5003:500000003:x10,1024*65535,2^31
reduce_sum_graph --backend cuda,kokkos --experiment reduce_sum --stream --graph --n 2^10:2^30:x4 --placements 4 --min-time 0.05 --variant adaptive,cluster,cub,flagged_partials,float4,unrolled,range,team
reduce_ladders --backend cuda,kokkos --experiment reduce_sum --tuning all --n 2^24,1024*65535 --min-time 0.05
reduce_types --backend cuda --experiment reduce_sum --variant adaptive,float4,deterministic,cub --type f64,i32,f16 --n 2^16,2^22,2^28
row_sum_ragged --backend cuda,kokkos --experiment row_sum --m 1000000 --n 17
row_sum_ragged --backend cuda,kokkos --experiment row_sum --m 5000000 --n 3
row_sum_ragged --backend cuda,kokkos --experiment row_sum --m 300 --n 300
row_tunings --backend cuda --experiment row_sum --variant ilp,split_row --tuning all
matmul_f16_sustained --backend cuda --experiment matmul_f16 --variant adaptive,autotuned,cublas,cublaslt --hot --placements 2 --min-time 0.02 --time-limit 0.2
matmul_f8_sustained --backend cuda --experiment matmul_f8 --variant adaptive,autotuned,cublaslt --hot --placements 2 --min-time 0.02 --time-limit 0.2
matmul_f32_sustained --backend cuda --experiment matmul_f32 --variant adaptive,autotuned,cublas --hot --placements 2 --min-time 0.02 --time-limit 0.2
matmul_f16_counters --backend cuda --experiment matmul_f16 --m 4096 --n 4096 --k 4096 --placements 1 --time-limit 0.2 --counters --type bf16 --layout nn
matmul_f8_counters --backend cuda --experiment matmul_f8 --m 4096 --n 4096 --k 4096 --placements 1 --time-limit 0.2 --counters --type e4m3 --out bf16 --scale none --accumulation fast
matmul_f32_counters --backend cuda --experiment matmul_f32 --m 4096 --n 4096 --k 4096 --placements 1 --time-limit 0.2 --counters
bank_conflict --backend cuda,kokkos --experiment bank_conflict --counters=shared --placements 4 --min-time 0.02 --time-limit 1
access_pattern --backend cuda,kokkos --experiment access_pattern --counters=memory --placements 4 --min-time 0.02 --time-limit 1
peak_compute --backend cuda,kokkos --experiment peak_compute --placements 4 --min-time 0.02 --time-limit 1
memory_bandwidth --backend cuda,kokkos --experiment memory_bandwidth --counters=memory,shared --placements 4 --min-time 0.02 --time-limit 1
memory_bandwidth_in_flight --backend cuda --experiment memory_bandwidth --level hbm --op read,copy --variant vector16,memcpy,cub --bytes 2^30 --tuning all --placements 4 --min-time 0.02 --counters=memory
memory_latency --backend cuda,kokkos --experiment memory_latency --counters=memory --placements 4 --min-time 0.02 --time-limit 0.4
memory_latency_proof --backend cuda --experiment memory_latency --variant chase,chase_l2 --bytes 2^14,2^30 --placements 1 --time-limit 0.1 --counters=memory
memory_latency_pages --backend cuda --experiment memory_latency --variant chase --space global --stride 2^21 --bytes 2^24:2^35:x2 --placements 4 --min-time 0.02
)";

}  // namespace crosswarp

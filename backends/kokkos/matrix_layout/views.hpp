// A View of the matrix, of either layout.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/matrix_layout.hpp"

namespace crosswarp::kokkos {

template <class Layout>
using MatrixView = Kokkos::View<const float**, Layout, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Calls `use` with the matrix as a View: the same code for both layouts.
template <class Use>
void with_view(const MatrixLayout::Args& args, Use&& use) {
  if (args.rows() == 0) return;
  if (args.order == MatrixOrder::right)
    use(MatrixView<Kokkos::LayoutRight>(args.in.data(), args.rows(), args.columns));
  else
    use(MatrixView<Kokkos::LayoutLeft>(args.in.data(), args.rows(), args.columns));
}

}  // namespace crosswarp::kokkos

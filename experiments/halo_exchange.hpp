// Halo exchange: every rank gets the faces of its neighbours' blocks. Bound by the link where faces are large, by
// strided loads and stores where their elements lie apart, by barriers of ranks where they are small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/rank_arrays.hpp"

namespace crosswarp {

/// Ranks in a periodic grid of 2 or 3 dimensions, each with a block of n^dims floats and a halo of `width` layers
/// around it: (n + 2 width)^dims elements, x fastest. On each rank, the layers of the halo of `out` beyond each face of
/// the block become the outermost `width` layers of the neighbour's `in` there. Faces are n wide: edges and corners of
/// the halo are not exchanged. These and the inside of `out` stay as they are.
///
/// `in` and `out` are two arrays of the same shape, like the two of a stencil that takes turns. What the halo of `in`
/// holds is not sent.
///
/// The grid's extents are the factors of `ranks` that are most alike, the larger one along x: 2 by 1, 3 by 1, 2 by 2,
/// 4 by 2; 2 by 2 by 2. Along an extent of 1 a rank is its own neighbour, along one of 2 both neighbours are the same
/// rank.
class HaloExchange : public RankArrays {
 public:
  static constexpr std::string_view name = "halo_exchange";
  static constexpr std::string_view summary = "on each rank, the faces of its neighbours' blocks around its own";

  static constexpr unsigned most_faces = 6;
  using Extents = std::array<unsigned, 3>;

  /// A rank's block. Face 2 · axis is that at the low end of an axis (x, y, z), face 2 · axis + 1 that at the high end:
  /// what a rank sends from face f goes to the halo beyond face f ^ 1 of its neighbour.
  struct Block {
    unsigned n, width, dims;
    std::array<unsigned, most_faces> neighbours;  ///< Ranks, by face.

    constexpr std::size_t pitch() const { return std::size_t{n} + 2 * width; }  ///< Of rows.
    constexpr unsigned faces() const { return 2 * dims; }
    /// Elements of a face, all its layers.
    constexpr unsigned face_size() const { return width * n * (dims == 3 ? n : 1); }
    /// Index of element `i` of a face's outermost layers, in the order of memory.
    constexpr std::size_t inside(unsigned face, unsigned i) const { return at(face, face % 2 == 0 ? width : n, i); }
    /// Index of element `i` of the halo beyond a face, in the same order.
    constexpr std::size_t beyond(unsigned face, unsigned i) const { return at(face, face % 2 == 0 ? 0 : n + width, i); }
    /// Elements of a row of a face, which are contiguous.
    constexpr unsigned columns(unsigned face) const { return face / 2 == 0 ? width : n; }

   private:
    /// `layer`: where the face begins along its axis.
    constexpr std::size_t at(unsigned face, unsigned layer, unsigned i) const {
      const unsigned axis = face / 2, of_row = columns(face), rows = axis == 1 ? width : n;
      const std::size_t x = (axis == 0 ? layer : width) + i % of_row;
      const std::size_t y = (axis == 1 ? layer : width) + i / of_row % rows;
      const std::size_t z = dims == 2 ? 0 : (axis == 2 ? layer : width) + i / of_row / rows;
      return x + pitch() * (y + pitch() * z);
    }
  };

  struct Args : RankArgs {
    Block block;
    const RankSpans<float>& f32() const { return std::get<RankSpans<float>>(typed); }
  };

  static std::vector<Axis> axes();
  /// Faces of neighbours alone are exchanged: a halo is no wider than a block. Blocks of up to 2^34 elements.
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  /// Bytes that each rank has to send, and to receive, over its links: of faces to itself none.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);

  /// Ranks along x, y and z. Rank r is at x = r mod extents[0], y = r / extents[0] mod extents[1] …
  static Extents grid(std::size_t ranks, std::size_t dims);

  HaloExchange(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  Args args(std::size_t set, std::size_t rank) const { return {RankArrays::args(set, rank), blocks_[rank]}; }

 private:
  static std::size_t elements(const Point& point);
  static std::vector<Block> blocks(const Point& point);
  static std::vector<RankArray> arrays(const Point& point);

  std::vector<Block> blocks_;  // by rank
};

extern template ExperimentEntry describe<HaloExchange>();

}  // namespace crosswarp

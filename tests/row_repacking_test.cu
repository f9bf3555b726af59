// Repacking of a product's operands, on the emulation: it cannot run the variant, whose product needs TMA.
#include "backends/cuda/tensor_gemm/row_repacking.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/buffer.hpp"
#include "core/registry.hpp"

namespace crosswarp::gpu {
namespace {

struct Shape {
  unsigned rows, columns;
};

Buffer<std::uint16_t> numbered(Device& device, const Shape& shape, unsigned from) {
  Buffer<std::uint16_t> matrix(device, std::size_t{shape.rows} * shape.columns);
  std::vector<std::uint16_t> values(matrix.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>((i + from) % 65'521 + 1);
  matrix.write(values);
  return matrix;
}

/// Whether `is` holds the elements of `right`, and zeros up to the next 16 bytes of each row.
void expect_copied(const std::vector<std::uint16_t>& is, std::size_t first, const Operand& copy,
                   const std::vector<std::uint16_t>& right) {
  for (std::size_t row = 0; row < copy.rows; ++row)
    for (std::size_t column = 0; column < copy.pitch; ++column) {
      const std::uint16_t wanted = column < copy.columns                 ? right[row * copy.columns + column]
                                   : column < (copy.columns + 7) / 8 * 8 ? std::uint16_t{0}
                                                                         : std::uint16_t{0xffff};  // still poison
      ASSERT_EQ(is[first + row * copy.pitch + column], wanted) << row << ", " << column << " of " << copy.columns;
    }
}

TEST(RowRepacking, CopiesMisalignedRowsToLines) {
  const Backend* emulation = nullptr;
  for (const auto& backend : Registry::instance().backends())
    if (backend->name() == Queue::backend) emulation = backend.get();
  ASSERT_NE(emulation, nullptr);
  const std::shared_ptr<Device> device = emulation->open(0);
  // Every offset from 16 bytes; rows of less than a vector, of one chunk more than a segment, of several segments; a
  // last row that ends with a vector and one that ends within it; operands that need no copy.
  for (const auto& [a_shape, b_shape] : {std::array<Shape, 2>{{{1, 1}, {1, 7}}},
                                         {{{9, 7}, {17, 3}}},
                                         {{{3, 9}, {8, 31}}},
                                         {{{16, 33}, {16, 65}}},
                                         {{{9, 1025}, {5, 1023}}},
                                         {{{4, 2050}, {3, 3071}}},
                                         {{{2, 1020}, {6, 1028}}},
                                         {{{5, 16}, {5, 17}}},
                                         {{{5, 17}, {5, 16}}},
                                         {{{5, 64}, {5, 1024}}}}) {
    const Buffer<std::uint16_t> a = numbered(*device, a_shape, 0), b = numbered(*device, b_shape, 7919);
    const Operands from{dense(a.span(), a_shape.rows, a_shape.columns), dense(b.span(), b_shape.rows, b_shape.columns)};
    Buffer<std::byte> workspace(*device, OperandRepacking(from).bytes());
    workspace.poison();
    LaunchLog log;
    const Tuning tuning;
    const Queue queue(*device, LaunchContext{device->info(), tuning, workspace.span(), &log});
    const OperandRepacking repacking(from, workspace.span());
    launch_repacking(queue, repacking);
    device->synchronize();

    const std::vector<std::byte> bytes = workspace.read();
    std::vector<std::uint16_t> is(bytes.size() / 2);
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::byte*>(is.data()));
    std::size_t first = 0;
    for (const auto& [dense, copy, matrix] :
         {std::tuple(from.a, repacking.result().a, &a), std::tuple(from.b, repacking.result().b, &b)}) {
      EXPECT_TRUE(copy.is_aligned());
      EXPECT_EQ(copy.columns, dense.columns);
      if (dense.columns % 8 == 0) {
        EXPECT_EQ(copy.data, dense.data);
        continue;
      }
      EXPECT_EQ(copy.pitch % 64, 0u);
      expect_copied(is, first, copy, matrix->read());
      first += std::size_t{copy.rows} * copy.pitch;
    }
    EXPECT_EQ(first * 2, workspace.size());
    EXPECT_TRUE(workspace.guards_intact());
  }
}

}  // namespace
}  // namespace crosswarp::gpu

// Registry of all linked and loaded backends, experiments and variants, and the cells that they span.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/experiment.hpp"
#include "core/random_points.hpp"
#include "core/variant.hpp"

namespace crosswarp {

/// A variant with a tuning at a point: the unit of verification and timing.
struct Cell {
  const Backend* backend;
  const ExperimentEntry* experiment;
  const VariantEntry* variant;
  const Tuning* tuning;
  Point point;
  bool slow = false;
  std::string half = {};  ///< Of a random point, the part of the sample: `any`, `multiples of 8`. Else empty.

  /// `cuda/reduce_sum/float4@block512`; without the default tuning.
  std::string rung() const;
  /// `cuda/reduce_sum/float4/n:1024/type:f32`
  std::string id() const { return rung() + "/" + point.name(); }
  /// The same at another point, which exists; none where the variant is not for it.
  std::optional<Cell> at(const Point& other) const;
};

/// Selection of cells. An empty list selects all; an axis without values, the experiment's defaults.
struct Filter {
  std::vector<std::string> backends, experiments, variants;
  std::vector<std::string> tunings;         ///< Names, or `all`; empty for each variant's default.
  std::map<std::string, std::string> axes;  ///< Values by axis, as typed.
  std::optional<RandomSample> random = {};  ///< Points to draw, in place of the default ones.
};

/// The joint bench points of `experiment`; empty if it has none or `filter` names one of their axes.
std::vector<Point> joint_points(const ExperimentEntry& experiment, const Filter& filter);

class Registry {
 public:
  static Registry& instance();

  void add(std::unique_ptr<Backend> backend);
  void add(VariantEntry variant, ExperimentEntry experiment);

  /// Later variants come from the module at this path.
  void set_module(std::string path) { module_ = std::move(path); }

  const std::vector<std::unique_ptr<Backend>>& backends() const { return backends_; }
  const std::map<std::string, ExperimentEntry>& experiments() const { return experiments_; }
  const std::map<std::string, VariantEntry>& variants() const { return variants_; }

  /// Number of rungs below `variant` in the ladder of improvements. Libraries are above all.
  std::size_t rung_height(const VariantEntry& variant) const;

  /// `not in this build (backends host, kokkos)`: why a variant may be unknown here.
  std::string not_in_this_build() const;
  /// Throws Error, with the nearest match, for an unknown backend.
  const Backend& backend(const std::string& name) const;

  /// The bench cells that `filter` selects, sorted by id. Opens no device. Throws Error for an unknown name, for an
  /// invalid value, and if nothing is selected.
  std::vector<Cell> cells(const Filter& filter) const;

  /// A cell of each rung that `filter` selects, at the first of its points that the variant is for; where it names no
  /// axis, also of the conformance tests. Sorted by id. Throws as cells() does.
  std::vector<Cell> rungs(const Filter& filter) const;

  /// The cells of `backends` at one point, with default tunings, sorted by id. May be empty.
  std::vector<Cell> cells_at(const ExperimentEntry& experiment, const Point& point,
                             const std::vector<std::string>& backends) const;

  /// All cells of the conformance tests, with all tunings, sorted by id.
  std::vector<Cell> test_cells() const;

  /// Cells of the conformance tests at `count` random points of each experiment, no larger than its test points that an
  /// emulation takes, of `most_bytes`. Tunings take turns.
  std::vector<Cell> random_test_cells(std::size_t count, std::uint64_t seed, std::size_t most_bytes) const;

 private:
  std::vector<const VariantEntry*> select(const Filter& filter) const;
  /// Throws Error if `cells`, those of `selected`, are none.
  void require_some(const std::vector<Cell>& cells, const std::vector<const VariantEntry*>& selected,
                    const Filter& filter) const;
  std::string why_no_variant(const Filter& filter) const;
  std::string why_no_point(const std::vector<const VariantEntry*>& selected) const;
  std::string why_unknown(const std::string& variant, const std::vector<std::string>& known) const;

  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<std::string, ExperimentEntry> experiments_;
  std::map<std::string, VariantEntry> variants_;
  std::string module_;
};

/// Registers a backend; for use in its own file.
template <class B>
struct RegisterBackend {
  RegisterBackend() { Registry::instance().add(std::make_unique<B>()); }
};

}  // namespace crosswarp

// Everything that was linked in: backends, experiments, variants; and the cells that they span.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/experiment.hpp"
#include "core/variant.hpp"

namespace crosswarp {

/// One thing to verify or time: a variant with a tuning at a point.
struct Cell {
  const Backend* backend;
  const ExperimentEntry* experiment;
  const VariantEntry* variant;
  const Tuning* tuning;
  Point point;
  bool slow = false;

  /// `cuda/reduce_sum/float4@block512`; the default tuning is not named.
  std::string rung() const;
  /// `cuda/reduce_sum/float4/n:1024/type:f32`
  std::string id() const { return rung() + "/" + point.name(); }
};

/// Which cells: an empty list means all, an axis without values means the experiment's defaults.
struct Filter {
  std::vector<std::string> backends, experiments, variants;
  std::vector<std::string> tunings;         ///< Names, or `all`; empty: each variant's default.
  std::map<std::string, std::string> axes;  ///< By name, as the user wrote them.
};

/// The bench points of `experiment` that go together, where it has such and `filter` names no axis of theirs.
std::vector<Point> joint_points(const ExperimentEntry& experiment, const Filter& filter);

class Registry {
 public:
  static Registry& instance();

  void add(std::unique_ptr<Backend> backend);
  void add(VariantEntry variant, ExperimentEntry experiment);

  /// What is added from now on comes from this file, which the program loads.
  void set_module(std::string path) { module_ = std::move(path); }

  const std::vector<std::unique_ptr<Backend>>& backends() const { return backends_; }
  const std::map<std::string, ExperimentEntry>& experiments() const { return experiments_; }
  const std::map<std::string, VariantEntry>& variants() const { return variants_; }

  /// How many rungs `variant` stands above the ladder's first, by what each says it improves on. A library's stands
  /// above all.
  std::size_t rung_height(const VariantEntry& variant) const;

  /// `name`, an id or what begins with one (a rung, a cell), with the id that the variant has now.
  std::string current_name(const std::string& name) const;
  /// The variants that `filter` selects by former names.
  std::vector<const VariantEntry*> selected_by_former_name(const Filter& filter) const;

  /// Throws Error, with the nearest match, where there is no such backend.
  const Backend& backend(const std::string& name) const;

  /// The bench cells that `filter` selects, sorted by id. Touches no device. Throws Error where a name in the filter
  /// means nothing here, where a value does not parse, or where nothing is selected.
  std::vector<Cell> cells(const Filter& filter) const;

  /// Every cell that conformance tests, sorted by id, for all tunings.
  std::vector<Cell> test_cells() const;

 private:
  std::vector<const VariantEntry*> select(const Filter& filter) const;
  std::string elsewhere(const std::string& variant, const std::vector<std::string>& known) const;

  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<std::string, ExperimentEntry> experiments_;
  std::map<std::string, VariantEntry> variants_;
  std::map<std::string, std::string> current_ids_;  // by former id
  std::string module_;
};

/// Registers a backend from its own file.
template <class B>
struct RegisterBackend {
  RegisterBackend() { Registry::instance().add(std::make_unique<B>()); }
};

}  // namespace crosswarp

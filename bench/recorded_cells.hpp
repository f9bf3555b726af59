// Cells of result files, whether or not this build has them.
#pragma once

#include <map>
#include <string>

#include "core/fields.hpp"

namespace crosswarp {

/// Cells as a file names them. This build may lack them, so that they can be shown and not run: of a variant there is
/// what the file says, of a backend nothing.
class RecordedCells {
 public:
  /// The cell of an entry of `benchmarks`, which lives as long as this object.
  Cell find(const Json& entry);

 private:
  std::map<std::string, VariantEntry> variants_;        // by id
  std::map<std::string, ExperimentEntry> experiments_;  // by name
  std::map<std::string, Tuning> tunings_;               // by rung
};

}  // namespace crosswarp

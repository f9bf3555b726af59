// Output files: checked before any work, replaced atomically, never a device or an input of the same command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace crosswarp {

/// Treatment of an existing file that is not empty.
enum class Existing { refuse, replace };

/// An output file. Symbolic links are followed: their target is replaced, not the link.
class OutputFile {
 public:
  /// `option`: prefix of the path in errors, such as `--json`; may be empty. Throws Error for anything but a regular
  /// file, for a file or folder without write permission (also for root), and for an existing file if `existing` is
  /// refuse.
  OutputFile(std::string option, const std::string& path, Existing existing = Existing::replace);

  const std::string& path() const { return path_; }  ///< With links resolved.
  /// The checks of the constructor, again. Throws Error.
  void check() const;
  /// Replaces the content atomically. Throws Error.
  void write(std::string_view text) const;
  /// `--json out.json: why`
  Error error(std::string_view why) const;

 private:
  std::string option_, named_, path_;
  Existing existing_;
};

/// An output file that grows during a run, locked by this process: another one gets an Error. A temporary file until
/// publish(), so that an old file stays until then.
class GrowingFile {
 public:
  explicit GrowingFile(OutputFile file);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Throws Error if it cannot be written.
  void append(std::string_view text);
  /// Moves the file to its path; may still grow.
  void publish();

 private:
  OutputFile file_;
  std::string unfinished_;
  int descriptor_ = -1;
  bool is_published_ = false;
};

/// Whether a GrowingFile of another process is at `path`, published or not. Not for files of this process.
bool is_growing(const std::string& path);

/// `path` with links resolved, also dangling ones.
std::string follow_links(const std::string& path);

/// A file named on the command line.
struct NamedFile {
  std::string option, path;
  bool is_output;
};

/// Throws Error if an output is the same file as another output or an input, by any path.
void require_distinct(const std::vector<NamedFile>& files);

}  // namespace crosswarp

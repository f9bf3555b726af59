// Output files: checked before any work is done, never a device, never an input of the same command, replaced as a
// whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace crosswarp {

/// What to do about a file that exists and is not empty.
enum class Existing { refuse, replace };

/// A file to be written. Symbolic links are followed: the file they lead to is replaced, not the link.
class OutputFile {
 public:
  /// `option` stands before the path in errors: `--json`; it may be empty. Throws Error for what is not a regular file,
  /// for a file or folder without write permission (root is held to the file's mode, too), and for a file that exists
  /// where `existing` is refuse.
  OutputFile(std::string option, const std::string& path, Existing existing = Existing::replace);

  const std::string& path() const { return path_; }  ///< With its links followed.
  /// Throws Error as the constructor does, by what there is now.
  void check() const;
  /// Replaces the content: a reader sees the old one or the new one. Throws Error where that fails.
  void write(std::string_view text) const;
  /// `--json out.json: why`
  Error error(std::string_view why) const;

 private:
  std::string option_, named_, path_;
  Existing existing_;
};

/// An output that grows line by line while a run lasts. It belongs to one process: a second one that opens it gets an
/// Error. It is built beside its path, so that what stands there remains until publish().
class GrowingFile {
 public:
  explicit GrowingFile(OutputFile file);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Throws Error where it cannot be written.
  void append(std::string_view text);
  /// Takes its path; later text follows it there.
  void publish();

 private:
  OutputFile file_;
  std::string unfinished_;
  int descriptor_ = -1;
  bool is_published_ = false;
};

/// `path` with its links followed, also where the last one leads to nothing.
std::string follow_links(const std::string& path);

/// A file of a command line.
struct NamedFile {
  std::string option, path;
  bool is_output;
};

/// Throws Error where an output is the same file as another output or an input, by whatever path.
void require_distinct(const std::vector<NamedFile>& files);

}  // namespace crosswarp

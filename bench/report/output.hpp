// How reports look, and where they go.
#pragma once

#include <string>

#include "core/report.hpp"

namespace crosswarp {

/// Writes `text` to the file `path`, to standard output where that is empty. Throws Error where it cannot be written.
void write_output(const std::string& text, const std::string& path);

/// Paragraphs and tables, as text or as Markdown, for the file `path` or for standard output where that is empty.
/// Tables fit the terminal as far as their columns allow, and the last column is never cut: what a comparison names
/// must be read.
class Page {
 public:
  enum class Format { text, markdown };
  Page(Format format, std::string path);

  void paragraph(const std::string& text);
  /// The first row is the head; a table of nothing else is left out.
  void table(TextTable table);
  /// Throws Error where it cannot be written.
  void write() const;

 private:
  Format format_;
  std::string path_, text_;
  Terminal terminal_;
};

}  // namespace crosswarp

// Output of reports: text or Markdown, to a file or to the terminal.
#pragma once

#include <string>

#include "core/report.hpp"

namespace crosswarp {

/// Writes `text` to the file `path` (empty: stdout), and says so on standard error. Throws Error if it cannot be
/// written.
void write_output(const std::string& text, const std::string& path);

/// Prints `bench: ` and the message to standard error, in lines that fit a terminal unless a word is longer.
void say(const std::string& message);

/// Paragraphs and tables, as text or as Markdown, for the file `path` (empty: stdout). Tables are narrowed to the
/// terminal's width, without cutting the last column, which names the cell.
class Page {
 public:
  enum class Format { text, markdown };
  Page(Format format, std::string path);

  void paragraph(const std::string& text);
  /// The first row is the head. Leaves out a table without further rows.
  void table(TextTable table);
  /// Throws Error if it cannot be written.
  void write() const;

 private:
  Format format_;
  std::string path_, text_;
  Terminal terminal_;
};

}  // namespace crosswarp

// One way out for every report.
#include "bench/report/output.hpp"

#include <unistd.h>

#include <iostream>

#include "core/format.hpp"
#include "core/output_file.hpp"

namespace crosswarp {

void write_output(const std::string& text, const std::string& path) {
  if (path.empty())
    std::cout << text << std::flush;
  else
    OutputFile("-o", path).write(text);
}

Page::Page(Format format, std::string path)
    : format_(format), path_(std::move(path)), colours_(path_.empty() && Terminal::of(STDOUT_FILENO).colours) {}

void Page::paragraph(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + printable(text) + "\n"; }

void Page::table(const TextTable& table) {
  if (table.rows() < 2) return;
  text_ += (text_.empty() ? "" : "\n") + (format_ == Format::markdown ? table.markdown() : table.text(0, colours_));
}

void Page::write() const { write_output(text_, path_); }

}  // namespace crosswarp

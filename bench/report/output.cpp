// Output of every report.
#include "bench/report/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

#include "core/format.hpp"
#include "core/output_file.hpp"

namespace crosswarp {

void write_output(const std::string& text, const std::string& path) {
  if (path.empty()) {
    std::cout << text << std::flush;
    return;
  }
  OutputFile("-o", path).write(text);
  say(fmt::format("wrote {}", path));
}

void say(const std::string& message) {
  const std::size_t width = Terminal::of(STDERR_FILENO).width;
  std::string text = "bench:";
  std::size_t used = text.size();
  std::istringstream words(message);
  for (std::string word; std::getline(words, word, ' ');) {  // never within a path, so that it can be copied
    const bool fits = width == 0 || used + 1 + columns(word) <= width;
    text += (fits ? " " : "\n  ") + word;
    used = (fits ? used + 1 : 2) + columns(word);
  }
  std::cerr << text << "\n";
}

Page::Page(Format format, std::string path)
    : format_(format), path_(std::move(path)), terminal_(path_.empty() ? Terminal::of(STDOUT_FILENO) : Terminal{}) {}

void Page::paragraph(const std::string& text) {
  text_ += (text_.empty() ? "" : "\n") + wrapped(printable(text), terminal_.width) + "\n";
}

void Page::table(TextTable table) {
  if (table.rows() < 2) return;
  table.last_wraps = true;
  text_ += (text_.empty() ? "" : "\n") +
           (format_ == Format::markdown ? table.markdown() : table.text(terminal_.width, terminal_.colours));
}

void Page::write() const { write_output(text_, path_); }

}  // namespace crosswarp

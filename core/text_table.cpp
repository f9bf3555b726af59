// Columns as wide as their cells, within the width of the terminal.
#include "core/text_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace crosswarp {
namespace {

std::string cut(const std::string& text, std::size_t width) {
  if (width == 0 || columns(text) <= width) return text;
  std::size_t bytes = 0;
  for (std::size_t column = 0; bytes < text.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (starts && ++column == width) break;
  }
  return text.substr(0, bytes) + "…";
}

std::string pad(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, columns(text)), ' ');
  return left ? text + blanks : blanks + text;
}

}  // namespace

void TextTable::row(std::vector<std::string> cells, Colour colour) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), colour});
}

std::vector<bool> TextTable::shown_columns() const {
  std::vector<bool> shown;
  for (const Row& row : rows_) {
    shown.resize(std::max(shown.size(), row.cells.size()), rows_.size() == 1);
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (&row != &rows_.front() && !row.cells[c].empty()) shown[c] = true;
  }
  return shown;
}

std::string TextTable::text(std::size_t width, bool colours) const {
  std::vector<Row> rows = rows_;
  std::vector<bool> shown = shown_columns();
  std::vector<std::size_t> widths;
  const auto measure = [&] {
    widths.assign(shown.size(), 0);
    for (const Row& row : rows)
      for (std::size_t c = 0; c < row.cells.size(); ++c) widths[c] = std::max(widths[c], columns(row.cells[c]));
  };
  const auto fits = [&] {
    measure();
    const auto last =
        static_cast<std::size_t>(std::find(shown.rbegin(), shown.rend(), true).base() - shown.begin()) - 1;
    std::size_t needed = 0;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (shown[c]) needed += c != last ? widths[c] + 2 : std::min(widths[c], least_last);
    return width == 0 || needed <= width;
  };
  for (std::size_t step = 0; !fits() && step < steps_.size(); ++step)
    if (const auto& [column, shorter] = steps_[step]; !shorter)
      shown.at(column) = false;
    else
      for (Row& row : rows)
        if (column < row.cells.size()) row.cells[column] = shorter(row.cells[column]);
  measure();
  std::string all;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (!shown[c]) continue;
      const bool last = c + 1 == row.cells.size();
      line += (line.empty() ? "" : "  ") +
              (last ? row.cells[c] : pad(row.cells[c], widths[c], is_left(c, row.cells.size())));
    }
    if (least_last != std::string::npos) line = cut(line, width);
    while (line.ends_with(' ')) line.pop_back();
    static constexpr const char* codes[] = {"", "\033[32m", "\033[31m", "\033[2m"};
    if (colours && row.colour != Colour::none) line = codes[static_cast<std::size_t>(row.colour)] + line + "\033[0m";
    all += line + "\n";
  }
  return all;
}

std::string TextTable::markdown(std::string (*first)(std::string_view)) const {
  const std::vector<bool> shown = shown_columns();
  std::string all;
  for (const Row& row : rows_) {
    const bool is_head = &row == &rows_.front();
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (shown[c]) all += "| " + (c == 0 && !is_head ? first : markdown_cell)(row.cells[c]) + " ";
    all += "|\n";
    if (!is_head) continue;
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (shown[c]) all += is_left(c, row.cells.size()) ? "|---" : "|--:";
    all += "|\n";
  }
  return all;
}

std::string without_details(const std::string& cell) {
  return cell.substr(0, std::min(cell.find(" ["), cell.find(" (")));
}

Terminal Terminal::of(int descriptor) {
  if (!isatty(descriptor)) return {};
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const auto is_set = [](const char* variable, std::string_view to) {
    const char* value = std::getenv(variable);
    return value && (to.empty() ? *value != 0 : value == to);
  };
  return {known ? size.ws_col : std::size_t{80}, !is_set("NO_COLOR", "") && !is_set("TERM", "dumb")};
}

}  // namespace crosswarp

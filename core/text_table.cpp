// Columns as wide as their cells, within the width of the terminal.
#include "core/text_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/processes.hpp"

namespace crosswarp {
namespace {

constexpr std::string_view mark = "! ";  // of a bad row
constexpr std::size_t gap = 2;           // columns between two cells
constexpr std::size_t indent = 4;        // of a text below its row
constexpr std::size_t least_text = 24;   // a narrower one goes below its row
constexpr std::size_t least_last = 8;    // a last column that is narrower is left out
constexpr std::size_t least_first = 12;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::string cut_to(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  std::size_t bytes = 0;
  for (std::size_t column = 0; bytes < text.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (starts && ++column == width) break;
  }
  return text.substr(0, bytes) + "…";
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::string pad(const std::string& text, std::size_t width, bool left) {
  const std::string rest = blanks(width - std::min(width, columns(text)));
  return left ? text + rest : rest + text;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t from = 0, to = 0; to != text.npos; from = to + 1) {
    to = text.find(' ', from);
    longest = std::max(longest, columns(text.substr(from, to - from)));
  }
  return longest;
}

/// Columns with a cell below the head. `text`: counting rows without figures.
template <class Rows>
std::vector<bool> used_columns(const Rows& rows, bool text) {
  std::vector<bool> used;
  for (const auto& row : rows) {
    used.resize(std::max(used.size(), row.cells.size()), rows.size() == 1);
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (&row != &rows.front() && !row.cells[c].empty() && (text || c == 0 || row.text == unlimited)) used[c] = true;
  }
  return used;
}

}  // namespace

void TextTable::row(std::vector<std::string> cells, Colour colour) { row_of_text(std::move(cells), figures, colour); }

void TextTable::row_of_text(std::vector<std::string> cells, std::size_t text, Colour colour) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), colour, text});
}

/// The columns of a table on a terminal of a certain width.
class TextTable::Layout {
 public:
  Layout(const TextTable& table, std::size_t width)
      : table_(table),
        width_(width ? width : unlimited),
        rows_(table.rows_),
        shown_(used_columns(rows_, false)),
        limits_(shown_.size(), unlimited) {
    for (Row& row : rows_)
      if (row.colour == Colour::bad) row.cells.front().insert(0, mark);
    for (const Step& step : table.steps_)
      if (excess() > 0) take(step);
    squeeze();
    measure();
  }

  std::string text(bool colours) const {
    std::string all;
    for (const Row& row : rows_)
      for (std::string line : lines(row)) {
        while (line.ends_with(' ')) line.pop_back();
        static constexpr const char* codes[] = {"", "\033[32m", "\033[31m", "\033[2m"};
        const bool coloured = colours && row.colour != Colour::none;
        all += coloured ? codes[static_cast<std::size_t>(row.colour)] + line + "\033[0m\n" : line + "\n";
      }
    return all;
  }

 private:
  std::size_t last() const {
    std::size_t last = shown_.size() - 1;
    while (last > 0 && !shown_[last]) --last;
    return last;
  }
  bool is_left(std::size_t column) const { return table_.is_left(column, shown_.size()); }
  bool wraps(std::size_t column) const { return table_.last_wraps && column > 0 && column == last(); }

  void measure() {
    widths_.assign(shown_.size(), 0);
    for (const Row& row : rows_)
      for (std::size_t c = 0; c < row.cells.size(); ++c)
        if (c == 0 || row.text == figures)
          widths_[c] = std::max(widths_[c], std::min(columns(row.cells[c]), limits_[c]));
  }

  /// Columns by which the widest line is too long.
  std::size_t excess() {
    measure();
    std::size_t needed = 0;
    for (std::size_t c = 0; c < widths_.size(); ++c)
      if (shown_[c]) needed += (c ? gap : 0) + (wraps(c) ? std::min(widths_[c], least_text) : widths_[c]);
    return needed > width_ ? needed - width_ : 0;
  }

  void limit(std::size_t column, std::size_t least) {
    if (const std::size_t over = excess(); shown_[column] && widths_[column] > least)
      limits_[column] = std::max(least, widths_[column] - std::min(widths_[column], over));
  }

  void take(const Step& step) {
    if (step.least > 0)
      limit(step.column, step.least);
    else if (!step.shorter)
      shown_.at(step.column) = false;
    else
      for (Row& row : rows_)
        if (step.column < row.cells.size() && (step.column == 0 || row.text == figures))
          row.cells[step.column] = step.shorter(row.cells[step.column]);
  }

  void squeeze() {
    if (excess() > 0 && last() > 0 && is_left(last()) && !wraps(last())) limit(last(), least_last);
    if (excess() > 0) limit(0, least_first);
    while (excess() > 0 && last() > 0) {
      std::size_t column = last();
      if (wraps(column)) do
          --column;
        while (column > 0 && !shown_[column]);
      if (column == 0) break;  // its text goes below the row
      shown_[column] = false;
    }
  }

  /// The lines of a row: a long first cell takes one of its own, a long text several.
  std::vector<std::string> lines(const Row& row) const {
    std::vector<std::string> all = wrap(row.cells.front(), width_);
    for (std::string& line : all) line = cut_to(line, width_);
    const std::size_t end = row.text == figures ? last() : row.text;
    if (end == 0) return all;
    if (columns(row.cells.front()) > widths_.front()) all.emplace_back();
    all.back() = pad(all.back(), widths_.front(), true);
    if (row.text == figures)
      for (std::size_t c = 1; c < std::min(end, row.cells.size()); ++c)
        if (shown_[c]) all.back() += blanks(gap) + pad(cut_to(row.cells[c], widths_[c]), widths_[c], is_left(c));
    if (end >= row.cells.size() || row.cells[end].empty()) return all;
    all.back() += blanks(gap);
    const std::string& text = row.cells[end];
    if (row.text == figures && !is_left(end)) {
      all.back() += pad(text, widths_[end], false);
      return all;
    }
    const std::size_t begin = columns(all.back()), left = width_ > begin ? width_ - begin : 0;
    const bool is_cut = row.text == figures ? !wraps(end) : row.colour != Colour::bad;
    if (is_cut && (row.text == figures || left >= least_text))
      all.back() += cut_to(text, left);
    else
      add_wrapped(all, text, begin, left);
    return all;
  }

  /// Goes on behind `begin` columns where enough of them are left, else below.
  void add_wrapped(std::vector<std::string>& lines, const std::string& text, std::size_t begin,
                   std::size_t left) const {
    const bool below = columns(text) > left && (left < least_text || longest_word(text) > left);
    if (below) lines.emplace_back(blanks(indent));
    const std::size_t at = below ? indent : begin;
    bool is_first = true;
    for (const std::string& piece : wrap(text, width_ - std::min(width_ - 1, at))) {
      if (!is_first) lines.push_back(blanks(at));
      lines.back() += piece;
      is_first = false;
    }
  }

  const TextTable& table_;
  std::size_t width_;
  std::vector<Row> rows_;
  std::vector<bool> shown_;
  std::vector<std::size_t> limits_, widths_;
};

std::size_t TextTable::width() const {
  std::size_t widest = 0;
  std::istringstream lines(text(0, false));
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns(line));
  return widest;
}

std::string TextTable::text(std::size_t width, bool colours) const {
  return rows_.empty() ? "" : Layout(*this, width).text(colours);
}

std::string TextTable::markdown(std::string (*first)(std::string_view)) const {
  const std::vector<bool> shown = used_columns(rows_, true);
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
  // mpirun gives its processes a terminal of 80 columns, wherever its own output goes.
  if (!isatty(descriptor) || joined_processes()) return {};
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const auto is_set = [](const char* variable, std::string_view to) {
    const char* value = std::getenv(variable);
    return value && (to.empty() ? *value != 0 : value == to);
  };
  return {known ? size.ws_col : std::size_t{80}, !is_set("NO_COLOR", "") && !is_set("TERM", "dumb")};
}

}  // namespace crosswarp

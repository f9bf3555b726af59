// Tables for terminals and for Markdown.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/format.hpp"

namespace crosswarp {

/// Rows of cells, in columns as wide as their widest cell. The first column is left-aligned, by default the last one, too. A column
/// that is empty below its head is left out.
class TextTable {
 public:
  enum class Colour { none, good, bad, faint };
  using Shorter = std::string (*)(const std::string& cell);

  void row(std::vector<std::string> cells, Colour colour = Colour::none);
  std::size_t rows() const { return rows_.size(); }

  /// Left-aligns a column.
  void left(std::size_t column) { left_.insert(column); }
  /// A step of text() where lines are too long for the terminal, in the order of these calls: shortens the cells of a
  /// column, or leaves it out where `shorter` is null. After the last step, cuts the last column to fewer than
  /// `least_last` characters, unless that is npos. Never cuts numbers.
  void narrow(std::size_t column, Shorter shorter = nullptr) { steps_.push_back({column, shorter}); }
  std::size_t least_last = 24;
  bool last_is_left = true;  ///< Not where it holds numbers.

  /// `width`: columns of the terminal; 0 for no limit. `colours`: whether to use escape sequences.
  std::string text(std::size_t width, bool colours) const;

  /// As Markdown, with the first row as the head; `first`: how the cells of the first column are written.
  std::string markdown(std::string (*first)(std::string_view) = markdown_cell) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };
  struct Step {
    std::size_t column;
    Shorter shorter;
  };
  std::vector<bool> shown_columns() const;
  bool is_left(std::size_t column, std::size_t columns) const {
    return column == 0 || (last_is_left && column + 1 == columns) || left_.contains(column);
  }

  std::vector<Row> rows_;
  std::vector<Step> steps_;
  std::set<std::size_t> left_;
};

/// What stands before the first ` [` or ` (`: a ratio without its interval, without the name of what it is to.
std::string without_details(const std::string& cell);

/// Where text goes.
struct Terminal {
  std::size_t width = 0;  ///< 0 where it is no terminal.
  bool colours = false;   ///< Only on a terminal that knows them, and never with NO_COLOR.

  /// For a file descriptor.
  static Terminal of(int descriptor);
};

}  // namespace crosswarp

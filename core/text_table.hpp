// Tables for terminals and for Markdown.
#pragma once

#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/format.hpp"

namespace crosswarp {

/// Rows of cells, in columns as wide as their widest cell. The first column is left-aligned, by default the last one,
/// too. A column that is empty below its head is left out.
class TextTable {
 public:
  /// `bad` rows begin with `! `, so that they stand out without colours, too.
  enum class Colour { none, good, bad, faint };
  using Shorter = std::string (*)(const std::string& cell);

  void row(std::vector<std::string> cells, Colour colour = Colour::none);
  /// A row whose cell in column `text` takes the place of all columns behind the first: the reason of a row without
  /// figures. Too long a reason goes on in further lines if the row is bad, else it is cut.
  void row_of_text(std::vector<std::string> cells, std::size_t text, Colour colour);
  std::size_t rows() const { return rows_.size(); }

  /// Left-aligns a column.
  void left(std::size_t column) { left_.insert(column); }
  bool last_is_left = true;  ///< Not where it holds numbers.

  // Steps of text() where lines are too long for the terminal, in the order of these calls. After the last step, cuts
  // the last column if it is left-aligned, gives long cells of the first column a line of their own, and leaves out
  // columns from the right. Never cuts numbers.

  /// Shortens the cells of a column, or leaves it out where `shorter` is null.
  void narrow(std::size_t column, Shorter shorter = nullptr) { steps_.push_back({column, shorter, 0}); }
  /// Cuts the cells of a column, to no fewer than `least` characters.
  void cut(std::size_t column, std::size_t least) { steps_.push_back({column, nullptr, least}); }
  /// The text of the last column goes on in further lines, instead of being cut.
  bool last_wraps = false;

  /// Columns of the widest line without a limit.
  std::size_t width() const;
  /// `width`: columns of the terminal; 0 for no limit. `colours`: whether to use escape sequences.
  std::string text(std::size_t width, bool colours) const;

  /// As Markdown, with the first row as the head; `first`: how the cells of the first column are written.
  std::string markdown(std::string (*first)(std::string_view) = markdown_cell) const;

 private:
  static constexpr std::size_t figures = std::numeric_limits<std::size_t>::max();
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
    std::size_t text = figures;  // column of the text of a row without figures
  };
  struct Step {
    std::size_t column;
    Shorter shorter;
    std::size_t least;  // to cut to; 0: not a cut
  };
  class Layout;
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

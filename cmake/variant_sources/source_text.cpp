// A tokenizer for hashing: characters to tokens, then tokens without descriptions.
#include "cmake/variant_sources/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace crosswarp::build {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Splits text into words and numbers, literals, preprocessor lines, and single characters.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  /// Empty at the end of the text.
  std::string next() {
    const bool begins_line = skip_space() || is_first_;
    is_first_ = false;
    std::string token = plain();
    if (token != "#" || !begins_line) return token;
    in_directive_ = true;
    while (skip_space(), at_ < text_.size() && peek() != '\n') token += " " + plain();
    in_directive_ = false;
    return token;
  }

  std::size_t code_lines() const { return code_lines_; }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

  void skip(std::size_t count) {
    for (const std::size_t end = std::min(at_ + count, text_.size()); at_ < end; ++at_)
      if (text_[at_] == '\n') is_line_counted_ = false;
  }

  /// Skips spaces, comments and spliced line ends; in a directive, up to the end of its line. True if a line ended.
  bool skip_space() {
    bool ended = false;
    for (;;) {
      if (at("//")) {
        skip(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else if (at("/*")) {
        skip(std::min(text_.find("*/", at_), text_.size()) + 2 - at_);
      } else if (at("\\\n")) {
        skip(2);
      } else if (is_space(peek()) && !(in_directive_ && peek() == '\n')) {
        ended = ended || peek() == '\n';
        skip(1);
      } else {
        return ended;
      }
    }
  }

  /// Moves `count` characters of code into `token`.
  void take(std::string& token, std::size_t count = 1) {
    for (; count > 0 && at_ < text_.size(); --count) {
      if (!is_space(peek()) && !is_line_counted_) {
        is_line_counted_ = true;
        ++code_lines_;
      }
      token += peek();
      skip(1);
    }
  }

  std::string plain() {
    std::string token;
    if (is_word(peek())) {
      const bool is_number = is_digit(peek());
      while (is_word(peek()) || (is_number && (peek() == '.' || (peek() == '\'' && is_word(peek(1)))))) take(token);
      if (token.back() == 'R' && peek() == '"') take_raw_string(token);
    } else if (peek() == '"' || peek() == '\'') {
      const char quote = peek();
      take(token);
      while (at_ < text_.size() && peek() != quote) take(token, peek() == '\\' ? 2 : 1);
      take(token);
    } else {
      take(token);
    }
    return token;
  }

  /// R"delimiter(…)delimiter"
  void take_raw_string(std::string& token) {
    const std::size_t open = std::min(text_.find('(', at_), text_.size() - 1);
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    take(token, end + close.size() - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0, code_lines_ = 0;
  bool is_first_ = true, in_directive_ = false, is_line_counted_ = false;
};

int depth_change(const std::string& token) {
  if (token == "{" || token == "(" || token == "[") return 1;
  return token == "}" || token == ")" || token == "]" ? -1 : 0;
}

/// Without the descriptive fields of a registered variant: `Register<…> name{{.field = value, …}}`.
std::vector<std::string> without_descriptions(const std::vector<std::string>& tokens) {
  std::vector<std::string> kept;
  bool is_registration = false;
  int depth = 0;  // of brackets behind `Register`
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_registration && tokens[i] == "Register") {
      is_registration = true;
      depth = 0;
    }
    is_registration = is_registration && !(depth == 0 && tokens[i] == ";");
    const bool is_field = is_registration && depth == 2 && tokens[i] == "." && i + 2 < tokens.size() &&
                          tokens[i + 2] == "=" && std::ranges::find(descriptive, tokens[i + 1]) != descriptive.end();
    if (!is_field) {
      depth += depth_change(tokens[i]);
      kept.push_back(tokens[i]);
      continue;
    }
    // The value ends with its comma, or before the closing brace.
    for (int nested = 0; i < tokens.size() && !(nested == 0 && tokens[i] == ","); ++i) {
      nested += depth_change(tokens[i]);
      if (nested < 0) break;
    }
    if (i < tokens.size() && tokens[i] != ",") --i;
  }
  return kept;
}

}  // namespace

SourceText read_source(std::string_view text) {
  SourceText source;
  Tokenizer tokenizer(text);
  std::vector<std::string> tokens;
  for (std::string token = tokenizer.next(); !token.empty(); token = tokenizer.next()) {
    constexpr std::string_view include = "# include ";
    if (!token.starts_with(include))
      tokens.push_back(std::move(token));
    else if (const std::string header = token.substr(include.size()); header.front() == '"')
      source.includes.push_back(header.substr(1, header.size() - 2));
  }
  source.code_lines = tokenizer.code_lines();
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i + 1] == ":" && tokens[i + 2] == ":") source.namespaces.insert(tokens[i]);
  for (const std::string& token : without_descriptions(tokens)) source.tokens += token + "\n";
  return source;
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

}  // namespace crosswarp::build

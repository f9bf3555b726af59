// Embeds the page's own files, its data and plotly.js into one file.
#include "bench/report/page/html.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "bench/report/command.hpp"
#include "bench/report/page/page.hpp"
#include "bench/report/page/page_data.hpp"
#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

/// plotly.js of Debian's and Ubuntu's python3-plotly.
constexpr const char* packaged_plotly = "/usr/share/python3-plotly/plotly.js";

/// Prints the path of pip's plotly.js. -I isolates Python from modules in the current folder and in PYTHONPATH, but
/// also from packages that pip installed for one user: hence usersitepackages.
const std::vector<std::string> python_plotly{
    "python3", "-I", "-c",
    "import sys, site, importlib.util as u; sys.path.append(site.getusersitepackages()); "
    "print(u.find_spec('plotly').submodule_search_locations[0] + '/package_data/plotly.min.js', end='')"};

std::string read(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) throw Error(path + ": cannot be read");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw Error(path + ": cannot be read");
  return text.str();
}

std::string plotly() {
  if (const char* path = std::getenv("CROSSWARP_PLOTLY")) return read(path);
  if (std::filesystem::exists(packaged_plotly)) return read(packaged_plotly);
  const auto path = run_program(python_plotly).output;
  if (path && std::filesystem::is_regular_file(*path)) return read(*path);
  throw Error(
      "a page needs plotly.js: install python3-plotly (Debian, Ubuntu) or plotly (pip), or say in CROSSWARP_PLOTLY "
      "where a plotly.min.js is");
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// A script without the tag that would end it early.
std::string as_script(std::string text) {
  replace_all(text, "</script", "<\\/script");
  return text;
}

/// The same with printable() texts and names.
Json printable_texts(const Json& json) {
  if (json.is_string()) return printable(json.get_ref<const std::string&>());
  Json made = json;
  if (json.is_array())
    for (Json& value : made) value = printable_texts(value);
  if (!json.is_object()) return made;
  made = Json::object();
  for (const auto& [name, value] : json.items()) made[printable(name)] = printable_texts(value);
  return made;
}

/// JSON as an element's content: `<` occurs only in its strings, where the escape is legal.
std::string as_data(const Json& json) {
  std::string text = printable_texts(json).dump(-1, ' ', false, Json::error_handler_t::replace);
  replace_all(text, "<", "\\u003c");
  return text;
}

}  // namespace

std::string html_report(const std::vector<ResultFile>& files) {
  std::string page;
  std::string_view rest = page_html;
  const auto insert = [&](std::string_view mark, std::string_view text) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  };
  insert("{{page.css}}", page_css);
  insert("{{data}}", as_data(page_data(files)));
  insert("{{plotly.js}}", as_script(plotly()));
  insert("{{page.js}}", page_js);
  return page.append(rest);
}

}  // namespace crosswarp

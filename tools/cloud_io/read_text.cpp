// Rows of numbers as text: .xyz, .pts, .txt, .csv. Blanks, commas and semicolons separate numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

constexpr char const* blanks = " \t\r\v\f";

std::string_view without_quotes(std::string_view word) {
  bool const quoted = word.size() >= 2 && word.front() == '"' && word.back() == '"';
  return quoted ? word.substr(1, word.size() - 2) : word;
}

// Takes the next word from the front of a line. A word is empty between two commas; nothing at the end of the line.
std::optional<std::string_view> take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  if (line.empty()) return std::nullopt;
  auto const word = line.substr(0, line.find_first_of(" \t\r\v\f,;"));
  line.remove_prefix(word.size());
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  if (!line.empty() && (line.front() == ',' || line.front() == ';')) line.remove_prefix(1);
  return without_quotes(word);
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  // A good line has one fewer.
  while (words.size() <= max_values) {
    auto const word = take_field(line);
    if (!word) break;
    words.emplace_back(*word);
  }
  return words;
}

bool is_comment(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  return line.substr(0, 1) == "#" || line.substr(0, 2) == "//";
}

std::string_view without_marks(std::string_view comment) {
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t\r\v\f#/"), comment.size()));
  return comment;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// Names as other formats have them, whatever their case: "x" for "X", "red" for "R".
std::vector<std::string> with_common_names(std::vector<std::string> names) {
  constexpr std::pair<std::string_view, char const*> short_names[] = {{"r", "red"}, {"g", "green"}, {"b", "blue"}};
  constexpr std::string_view known[] = {"x",  "y",  "z", "red", "green", "blue", "intensity", "classification",
                                        "nx", "ny", "nz"};
  for (auto& name : names) {
    auto const plain = lower(name);
    if (std::find(std::begin(known), std::end(known), plain) != std::end(known)) name = plain;
    for (auto const& [from, to] : short_names) {
      if (plain == from) name = to;
    }
  }
  return names;
}

bool has_axes(std::vector<std::string> const& names) {
  constexpr std::string_view axes = "xyz";
  return std::all_of(axes.begin(), axes.end(), [&names](char axis) {
    return std::find(names.begin(), names.end(), std::string(1, axis)) != names.end();
  });
}

// Range of a column's numbers.
struct number_range {
  bool whole = true;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    whole = whole && value == std::nearbyint(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_within(double least, double most) const { return whole && low >= least && high <= most; }
  bool is_color() const { return is_within(0, 255); }
  scalar_kind kind(std::string const& name) const {
    bool const names_color = name == "red" || name == "green" || name == "blue" || name == "alpha";
    if (names_color && is_color()) return scalar_kind::uint8;
    if (is_within(-0x1p31, 0x1p31 - 1)) return scalar_kind::int32;
    if (is_within(0, 0x1p32 - 1)) return scalar_kind::uint32;
    return scalar_kind::float64;
  }
};

// Reads all lines twice: columns get their types before they get memory.
class text_reader {
 public:
  explicit text_reader(cloud_bytes const& file) : file_{file} {}

  cloud read() {
    for_each_row([this](std::size_t, std::size_t c, double value) { ranges_[c].add(value); }, true);
    if (declared_ && *declared_ != rows_) {
      file_.fail(fmt::format("{} points, as line {} says", *declared_, declared_line_), fmt::format("{}", rows_));
    }
    cloud_filler made{rows_};
    auto const names = choose_names();
    ranges_.resize(names.size());  // a file without rows has no ranges yet
    bool axes[3] = {};
    for (std::size_t c = 0; c < names.size(); ++c) {
      auto const axis = names[c].size() == 1 ? std::string_view{"xyz"}.find(names[c]) : std::string_view::npos;
      bool const is_coordinate = axis != std::string_view::npos && !std::exchange(axes[axis], true);
      made.add(names[c], is_coordinate ? scalar_kind::float64 : ranges_[c].kind(names[c]));
    }
    for_each_row([&made](std::size_t i, std::size_t c, double value) { made.put(c, i, value); }, false);
    return made.take(fmt::format("text, {} columns", names.size()));
  }

 private:
  // Calls `use(row, column, number)`. The first pass notes names, and checks each line.
  template <class Use>
  void for_each_row(Use const& use, bool is_first_pass) {
    auto text = file_.view();
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
    line_reader lines{text};
    std::size_t row = 0;
    while (auto const line = lines.next_with_content()) {
      if (is_comment(*line)) {
        if (is_first_pass && rows_ == 0) comment_ = *line;
        continue;
      }
      if (is_first_pass ? rows_ == 0 && is_head(*line, lines.number()) : lines.number() <= head_lines_) continue;
      if (is_first_pass) start_row(*line, lines.number());
      read_row(*line, lines.number(), row++, use);
    }
  }

  // True for a line of names, or of the number of points, before the first row.
  bool is_head(std::string_view line, std::size_t number) {
    auto rest = line;
    auto const first = take_field(rest);
    bool const is_number = first && parse_number(*first).has_value();
    if (!is_number && names_.empty()) {
      names_ = with_common_names(words_of(line));
      if (!has_axes(names_))
        file_.fail(fmt::format("numbers, or names with x, y and z, in line {}", number), excerpt(line));
    } else if (is_number && !take_field(rest) && !declared_ && names_.empty() && parse_count(*first)) {
      declared_ = parse_count(*first);
      declared_line_ = number;
    } else {
      return false;
    }
    head_lines_ = number;
    return true;
  }

  void start_row(std::string_view line, std::size_t number) {
    if (rows_++ > 0) return;
    auto const width = words_of(line).size();
    if (width < 3 || width > max_values) {
      file_.fail(fmt::format("3 to {} values in line {}", max_values, number), excerpt(line));
    }
    if (!names_.empty() && names_.size() != width) {
      file_.fail(fmt::format("{} values in line {}, a name each", names_.size(), number), fmt::format("{}", width));
    }
    ranges_.resize(width);
  }

  template <class Use>
  void read_row(std::string_view line, std::size_t number, std::size_t row, Use const& use) {
    auto rest = line;
    std::size_t found = 0;
    while (auto const word = take_field(rest)) {
      auto const c = found++;
      if (c >= ranges_.size()) continue;
      auto const value = parse_number(*word);
      if (!value) file_.fail(fmt::format("a number as value {} in line {}", c + 1, number), excerpt(*word));
      use(row, c, *value);
    }
    if (found != ranges_.size()) {
      file_.fail(fmt::format("{} values in line {}", ranges_.size(), number),
                 fmt::format("{}: {}", found, excerpt(line)));
    }
  }

  // Names from the head, from the last comment before the rows, or by the number of columns.
  std::vector<std::string> choose_names() const {
    if (!names_.empty()) return names_;
    auto const width = std::max(ranges_.size(), std::size_t{3});
    auto names = with_common_names(words_of(without_marks(comment_)));
    if (names.size() == width && has_axes(names)) return names;
    names = {"x", "y", "z"};
    bool const colored = (width == 6 || width == 7) &&
                         std::all_of(ranges_.end() - 3, ranges_.end(), [](auto const& r) { return r.is_color(); });
    if (width == 4 || (width == 7 && colored)) names.emplace_back("intensity");
    if (colored) names.insert(names.end(), {"red", "green", "blue"});
    for (std::size_t c = names.size(); c < width; ++c) names.push_back(fmt::format("column_{}", c));
    return names;
  }

  cloud_bytes const& file_;
  std::vector<std::string> names_;
  std::string_view comment_;
  std::optional<std::size_t> declared_;
  std::size_t declared_line_ = 0;
  std::size_t head_lines_ = 0;  // number of the last line before the rows
  std::vector<number_range> ranges_;
  std::size_t rows_ = 0;
};

}  // namespace

cloud read_text(cloud_bytes const& file) {
  return text_reader{file}.read();
}

}  // namespace farpoint_tools

#include "visualize.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "encode.hpp"
#include "new_file.hpp"
#include "page.hpp"
#include "survey.hpp"
#include "text.hpp"

namespace farpoint_viewer {

namespace {

std::string_view name_of(value_code code) {
  constexpr std::array<std::string_view, 4> names{"integers", "steps", "directions", "colors"};
  return names[static_cast<std::size_t>(code)];
}

std::string_view name_of(attribute_kind kind) {
  constexpr std::array<std::string_view, 4> names{"number", "label", "direction", "color"};
  return names[static_cast<std::size_t>(kind)];
}

std::string json_position(position const& of) {
  return "[" + json_number(of[0]) + "," + json_number(of[1]) + "," + json_number(of[2]) + "]";
}

std::string json_range(value_range const& range) {
  return R"({"low":)" + json_number(range.low) + R"(,"high":)" + json_number(range.high) + R"(,"shownLow":)" +
         json_number(range.shown_low) + R"(,"shownHigh":)" + json_number(range.shown_high) + "}";
}

/// `[item(0),item(1),...]`
template <class Item>
std::string json_list(std::size_t size, Item const& item) {
  std::string list{"["};
  for (std::size_t i = 0; i < size; ++i) list += (i == 0 ? "" : ",") + item(i);
  return list + "]";
}

std::string json_attribute(attribute const& of, attribute_survey const& known) {
  return R"({"name":)" + json_text(of.name) + R"(,"unit":)" + json_text(of.unit) + R"(,"kind":")" +
         std::string{name_of(of.kind)} + R"(","code":")" + std::string{name_of(known.code)} + R"(","wide":)" +
         (known.wide ? "true" : "false") + R"(,"range":)" + json_range(known.range) + "}";
}

/// A pair of a JSON object.
std::string json_pair(std::string_view name, std::string const& value) {
  return "\"" + std::string{name} + "\":" + value;
}

std::string json_cubes(std::optional<cube_shape> const& cubes) {
  if (!cubes) return "null";
  auto const cells = json_list(3, [&](std::size_t axis) { return std::to_string(cubes->cells[axis]); });
  return "{" + json_pair("lower", json_position(cubes->lower)) + "," + json_pair("size", json_position(cubes->size)) +
         "," + json_pair("cells", cells) + "}";
}

std::string json_splats(std::optional<splat_shape> const& splats) {
  if (!splats) return "null";
  auto const place = [](std::string_view name, std::size_t at) { return json_pair(name, std::to_string(at)); };
  return "{" + place("normal", splats->normal) + "," + place("tangent", splats->tangent) + "," +
         place("along", splats->along) + "," + place("across", splats->across) + "}";
}

/// Where a cloud is shown: in which moment, and in which picture.
struct showing {
  std::size_t moment = 0, series = 0;
};

std::string json_cloud(cloud const& of, cloud_survey const& known, showing const& shown) {
  auto const attributes = json_list(
      of.attributes.size(), [&](std::size_t i) { return json_attribute(of.attributes[i], known.attributes[i]); });
  return R"({"name":)" + json_text(of.name) + R"(,"points":)" + std::to_string(of.points.rows()) + R"(,"drawn":)" +
         std::to_string(known.drawn) + R"(,"low":)" + json_position(known.low) + R"(,"high":)" +
         json_position(known.high) + R"(,"height":)" + json_range(known.height) + R"(,"moment":)" +
         std::to_string(shown.moment) + R"(,"series":)" + std::to_string(shown.series) + "," +
         json_pair("cubes", json_cubes(of.cubes)) + "," + json_pair("splats", json_splats(of.splats)) +
         R"(,"attributes":)" + attributes + "}";
}

std::string json_figures(std::vector<figure> const& figures) {
  return json_list(figures.size(), [&](std::size_t i) {
    return "[" + json_text(figures[i].name) + "," + json_text(figures[i].value) + "]";
  });
}

std::string json_moment(moment const& of) {
  return R"({"name":)" + json_text(of.name) + R"(,"figures":)" + json_figures(of.figures) + "}";
}

/// Moment and index of each cloud of all_clouds(), in the same order.
std::vector<showing> showings(scene const& content) {
  std::vector<showing> all;
  for (std::size_t i = 0; i < content.clouds.size(); ++i) all.push_back({0, i});
  for (std::size_t m = 0; m < content.moments.size(); ++m) {
    for (std::size_t i = 0; i < content.moments[m].clouds.size(); ++i) all.push_back({m, i});
  }
  return all;
}

std::string json_scene(scene const& content, std::vector<cloud_survey> const& known, frame const& where) {
  auto const all = all_clouds(content);
  auto const shown = showings(content);
  auto const clouds = json_list(known.size(), [&](std::size_t i) { return json_cloud(*all[i], known[i], shown[i]); });
  auto const moments =
      json_list(content.moments.size(), [&](std::size_t i) { return json_moment(content.moments[i]); });
  return R"({"unit":)" + json_text(content.unit) + R"(,"colorBy":)" + json_text(content.color_by) + R"(,"overlaid":)" +
         (content.overlaid ? "true" : "false") + R"(,"up":)" + json_position(up_vector(content.up)) + R"(,"origin":)" +
         json_position(where.origin) + R"(,"scale":)" + json_number(where.scale) + R"(,"bits":)" +
         std::to_string(where.bits) + R"(,"clouds":)" + clouds + R"(,"figures":)" + json_figures(content.figures) +
         R"(,"moments":)" + moments + "}";
}

[[noreturn]] void reject(std::string const& why) {
  throw std::invalid_argument{"write_page: " + why};
}

void check(cloud const& of) {
  if (of.points.rows() > 0 && of.points.columns() != 3) reject("points have three columns");
  for (auto const& one : of.attributes) {
    bool const is_vector = one.kind == attribute_kind::direction || one.kind == attribute_kind::color;
    bool const fits = one.values.columns() == (is_vector ? 3U : 1U) || one.values.rows() == 0;
    if (one.values.rows() != of.points.rows() || !fits) {
      reject("attribute \"" + valid_utf8(one.name) + "\" has not the shape that its cloud and kind ask for");
    }
  }
}

void check_shapes(cloud const& of) {
  auto const expect = [&of](std::size_t place, attribute_kind kind) {
    if (place >= of.attributes.size() || of.attributes[place].kind != kind) {
      reject("a shape of \"" + valid_utf8(of.name) + "\" has not the attributes that it needs");
    }
  };
  if (of.cubes) {
    for (auto const place : of.cubes->cells) expect(place, attribute_kind::number);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bool const fits = std::isfinite(of.cubes->lower[axis]) && std::isfinite(of.cubes->size[axis]);
      if (!fits || of.cubes->size[axis] <= 0) reject("cubes have finite corners and positive sizes");
    }
  }
  if (of.splats) {
    for (auto const place : {of.splats->normal, of.splats->tangent}) expect(place, attribute_kind::direction);
    for (auto const place : {of.splats->along, of.splats->across}) expect(place, attribute_kind::number);
  }
}

void check(scene const& content) {
  auto const check_count = [](std::vector<cloud> const& clouds) {
    if (clouds.empty() || clouds.size() > 4) reject("a page shows one to four clouds");
  };
  if (content.moments.empty()) {
    check_count(content.clouds);
  } else if (!content.clouds.empty()) {
    reject("a scene has clouds or moments");
  }
  for (auto const& now : content.moments) check_count(now.clouds);
  for (auto const* const of : all_clouds(content)) {
    check(*of);
    check_shapes(*of);
  }
}

/// A page in a file that takes its name when it is complete, and the bytes written to it.
class page_file {
 public:
  explicit page_file(std::filesystem::path const& file) : file_{file} {}

  void write(std::string_view text) {
    file_.write(text);
    bytes_ += text.size();
  }
  /// @returns the size of the file
  std::uint64_t close() {
    file_.finish();
    return bytes_;
  }

 private:
  farpoint_tools::new_file file_;
  std::uint64_t bytes_ = 0;
};

/// The blocks of all clouds, and what became of these.
std::vector<cloud_report> write_blocks(page_file& page, scene const& content, std::vector<cloud_survey> const& known,
                                       frame const& where) {
  std::vector<cloud_report> reports;
  auto const all = all_clouds(content);
  for (std::size_t i = 0; i < known.size(); ++i) {
    auto const& of = *all[i];
    block_encoder blocks{of, known[i], where, i};
    for (auto bytes = blocks.next(); !bytes.empty(); bytes = blocks.next()) {
      page.write("<script type=\"text/plain\" class=\"block\">");
      page.write(base64(std::move(bytes)));
      page.write("</script>\n");
    }
    reports.push_back({known[i].drawn, of.points.rows() - known[i].drawn, blocks.largest_error()});
  }
  return reports;
}

std::string json_errors(std::vector<cloud_report> const& reports) {
  return json_list(reports.size(), [&](std::size_t i) { return json_number(reports[i].largest_error); });
}

}  // namespace

page_report write_page(std::filesystem::path const& file, scene const& content) try {
  check(content);
  auto const where = choose_frame(content);
  std::vector<cloud_survey> known;
  for (auto const* const of : all_clouds(content)) known.push_back(survey(*of, where, content.up));

  page_report report;
  page_file page{file};
  // The template has a "%%NAME%%" for each part.
  auto rest = page_template;
  for (auto mark = rest.find("%%"); mark != std::string_view::npos; mark = rest.find("%%")) {
    page.write(rest.substr(0, mark));
    rest.remove_prefix(mark + 2);
    auto const name = rest.substr(0, rest.find("%%"));
    rest.remove_prefix(name.size() + 2);
    if (name == "TITLE") page.write(html_text(content.title));
    if (name == "STYLE") page.write(page_style);
    if (name == "SCENE") page.write(json_scene(content, known, where));
    if (name == "BLOCKS") report.clouds = write_blocks(page, content, known, where);
    if (name == "ERRORS") page.write(json_errors(report.clouds));
    if (name == "SCRIPTS") {
      for (auto const script : page_scripts) page.write(script);
    }
  }
  page.write(rest);
  report.bytes = page.close();
  return report;
} catch (farpoint_tools::write_error const& error) {
  throw visualize_error{error.what()};
}

}  // namespace farpoint_viewer

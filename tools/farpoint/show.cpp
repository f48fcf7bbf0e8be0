#include "show.hpp"

#include <cstdint>
#include <deque>

#include "visualize.hpp"

namespace farpoint_tools {

namespace {

namespace viewer = farpoint_viewer;

template <class Value>
viewer::rows_view rows_of(std::vector<char> const& bytes) {
  return {reinterpret_cast<Value const*>(bytes.data()), bytes.size() / sizeof(Value), 1};
}

viewer::rows_view rows_of(column const& values) {
  auto const& bytes = values.bytes();
  switch (values.kind()) {
    case scalar_kind::int8: return rows_of<std::int8_t>(bytes);
    case scalar_kind::uint8: return rows_of<std::uint8_t>(bytes);
    case scalar_kind::int16: return rows_of<std::int16_t>(bytes);
    case scalar_kind::uint16: return rows_of<std::uint16_t>(bytes);
    case scalar_kind::int32: return rows_of<std::int32_t>(bytes);
    case scalar_kind::uint32: return rows_of<std::uint32_t>(bytes);
    case scalar_kind::int64: return rows_of<std::int64_t>(bytes);
    case scalar_kind::uint64: return rows_of<std::uint64_t>(bytes);
    case scalar_kind::float32: return rows_of<float>(bytes);
    case scalar_kind::float64: break;
  }
  return rows_of<double>(bytes);
}

// Clouds as the page takes them, and the memory of what had to be put together.
class scene_maker {
 public:
  viewer::cloud make(std::string name, cloud const& from, std::vector<column> const& more) {
    auto const rows = with_coordinates(from, [](auto const& all) { return viewer::rows_view{all}; });
    viewer::cloud made{std::move(name), rows, {}};
    bool const coloured = add_three(from, {"red", "green", "blue"}, "Colour", viewer::attribute_kind::color, made);
    bool const facing = add_three(from, {"nx", "ny", "nz"}, "Normal", viewer::attribute_kind::direction, made);
    for (auto const* const columns : {&from.columns, &more}) {
      for (auto const& values : *columns) {
        auto const& name_of_values = values.name();
        bool const is_colour = name_of_values == "red" || name_of_values == "green" || name_of_values == "blue";
        bool const is_normal = name_of_values == "nx" || name_of_values == "ny" || name_of_values == "nz";
        if ((is_colour && coloured) || (is_normal && facing)) continue;
        auto const kind = name_of_values == "voxel" ? viewer::attribute_kind::label : viewer::attribute_kind::number;
        made.attributes.push_back({name_of_values, kind, rows_of(values), {}});
      }
    }
    return made;
  }

 private:
  bool add_three(cloud const& from, std::array<char const*, 3> const& names, char const* name,
                 viewer::attribute_kind kind, viewer::cloud& to) {
    std::array<column const*, 3> parts{};
    for (std::size_t c = 0; c < 3; ++c) parts[c] = from.find(names[c]);
    if (parts[0] == nullptr || parts[1] == nullptr || parts[2] == nullptr) return false;
    auto& rows = memory_.emplace_back(3 * from.points.size());
    for (std::size_t c = 0; c < 3; ++c) {
      // Pages take colours of 8 bits, LAS has 16.
      bool const is_wide = kind == viewer::attribute_kind::color && parts[c]->kind() == scalar_kind::uint16;
      double const scale = is_wide ? 1 / 257.0 : 1;
      for (std::size_t i = 0; i < from.points.size(); ++i) {
        rows[3 * i + c] = static_cast<float>(parts[c]->at(i) * scale);
      }
    }
    to.attributes.push_back({name, kind, {rows.data(), from.points.size(), 3}, {}});
    return true;
  }

  std::deque<std::vector<float>> memory_;
};

}  // namespace

void show(cloud const& input, outcome const& made, std::string const& title, std::filesystem::path const& page) {
  scene_maker maker;
  viewer::scene scene;
  scene.title = title;
  scene.clouds.push_back(maker.make("Input", input, made.of_input));
  if (!made.result.points.empty()) scene.clouds.push_back(maker.make("Result", made.result, {}));
  for (auto const& one : made.told) scene.figures.push_back({one.name, one.text()});
  try {
    viewer::write_page(page, scene);
  } catch (viewer::visualize_error const& error) {
    throw file_error{error.what()};
  }
}

void open_page(std::filesystem::path const& page) {
  viewer::open_in_browser(page);
}

}  // namespace farpoint_tools

#include "show.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "page_text.hpp"

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
    bool const colored = add_three(from, {"red", "green", "blue"}, "Color", viewer::attribute_kind::color, made);
    bool const facing = add_three(from, {"nx", "ny", "nz"}, normal_name, viewer::attribute_kind::direction, made);
    for (auto const* const columns : {&from.columns, &more}) {
      for (auto const& values : *columns) {
        auto const& name_of_values = values.name();
        bool const is_color = name_of_values == "red" || name_of_values == "green" || name_of_values == "blue";
        bool const is_normal = name_of_values == "nx" || name_of_values == "ny" || name_of_values == "nz";
        if ((is_color && colored) || (is_normal && facing)) continue;
        auto const kind = name_of_values == "voxel" ? viewer::attribute_kind::label : viewer::attribute_kind::number;
        made.attributes.push_back({title_of(name_of_values), kind, rows_of(values), unit_of(name_of_values)});
      }
    }
    return made;
  }

  viewer::cloud make_result(outcome const& made) {
    auto shown = make(made.result_name, made.result, made.drawn.more);
    if (made.drawn.cubes) {
      auto const cell = [&](char const* name) { return place_of(shown, title_of(name)).value_or(0); };
      shown.cubes = viewer::cube_shape{
          made.drawn.cubes->lower, made.drawn.cubes->size, {cell("voxel_x"), cell("voxel_y"), cell("voxel_z")}};
    }
    if (made.drawn.splats) add_splats(*made.drawn.splats, shown);
    return shown;
  }

 private:
  bool add_three(cloud const& from, std::array<char const*, 3> const& names, char const* name,
                 viewer::attribute_kind kind, viewer::cloud& to) {
    std::array<column const*, 3> parts{};
    for (std::size_t c = 0; c < 3; ++c) parts[c] = from.find(names[c]);
    if (parts[0] == nullptr || parts[1] == nullptr || parts[2] == nullptr) return false;
    auto& rows = memory_.emplace_back(3 * from.points.size());
    for (std::size_t c = 0; c < 3; ++c) {
      // Pages take colors of 8 bits, LAS has 16.
      bool const is_wide = kind == viewer::attribute_kind::color && parts[c]->kind() == scalar_kind::uint16;
      double const scale = is_wide ? 1 / 257.0 : 1;
      for (std::size_t i = 0; i < from.points.size(); ++i) {
        rows[3 * i + c] = static_cast<float>(parts[c]->at(i) * scale);
      }
    }
    to.attributes.push_back({name, kind, {rows.data(), from.points.size(), 3}, {}});
    return true;
  }

  // Adds the splats' normals, unless the cloud already has them.
  static void add_splats(splat_rows const& splats, viewer::cloud& to) {
    constexpr auto direction = viewer::attribute_kind::direction;
    auto const add = [&to](char const* name, viewer::attribute_kind kind, viewer::rows_view const& values,
                           char const* unit) {
      to.attributes.push_back({name, kind, values, unit});
      return to.attributes.size() - 1;
    };
    viewer::splat_shape shape;
    auto const known = place_of(to, normal_name);
    bool const has_them = known && splats.normals_are_columns;
    shape.normal = has_them ? *known : add(known ? "Splat's normal" : normal_name, direction, splats.normals, "");
    shape.tangent = add("Splat's long axis", direction, splats.tangents, "");
    shape.along = add("Splat's long half axis", viewer::attribute_kind::number, splats.along, "m");
    shape.across = add("Splat's short half axis", viewer::attribute_kind::number, splats.across, "m");
    to.splats = shape;
  }

  static std::optional<std::size_t> place_of(viewer::cloud const& in, std::string const& name) {
    for (std::size_t i = 0; i < in.attributes.size(); ++i) {
      if (in.attributes[i].name == name) return i;
    }
    return {};
  }

  static constexpr char const* normal_name = "Normal";
  std::deque<std::vector<float>> memory_;
};

}  // namespace

void page_maker::add(std::string const& name, cloud input, outcome made) {
  if (made.drawn.has_input) input = {};
  if (added_++ % step_ != 0) return;
  points_ += input.points.size() + made.result.points.size();
  moments_.push_back({name, std::move(input), std::move(made)});
  while (points_ > most_ && moments_.size() > 1) thin_out();
}

void page_maker::thin_out() {
  step_ *= 2;
  points_ = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < moments_.size(); i += 2, ++kept) {
    if (i != kept) moments_[kept] = std::move(moments_[i]);
    points_ += moments_[kept].input.points.size() + moments_[kept].made.result.points.size();
  }
  moments_.erase(moments_.begin() + static_cast<std::ptrdiff_t>(kept), moments_.end());
}

void page_maker::write(figures const& in_all) {
  scene_maker maker;
  viewer::scene scene;
  bool const single = added_ == 1;
  for (auto const& [name, input, made] : moments_) {
    std::vector<viewer::cloud> clouds;
    bool const has_result = !made.result.points.empty();
    if (!has_result || !made.drawn.has_input) clouds.push_back(maker.make("Input", input, made.of_input));
    if (has_result) clouds.push_back(maker.make_result(made));
    if (single) {
      scene.clouds = std::move(clouds);
    } else {
      scene.moments.push_back({name, std::move(clouds), page_figures(made.summary)});
    }
  }
  scene.title = title_;
  if (!single) scene.title += fmt::format(", {} files", with_separators(std::to_string(added_)));
  if (step_ > 1) scene.title += fmt::format(" (one in {} shown)", step_);
  auto const& done = moments_.front().made.done;
  if (!done.empty()) scene.title += ": " + done;
  scene.color_by = title_of(moments_.front().made.drawn.color_by);
  scene.up = up_;
  scene.figures = page_figures(single ? moments_.front().made.summary : in_all);
  try {
    viewer::write_page(page_, scene);
  } catch (viewer::visualize_error const& error) {
    throw file_error{error.what()};
  }
}

void open_page(std::filesystem::path const& page) {
  viewer::open_in_browser(page);
}

}  // namespace farpoint_tools

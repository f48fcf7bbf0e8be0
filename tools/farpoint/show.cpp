#include "show.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <utility>

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
    for (std::size_t i = 0; i < from.points.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) rows[3 * i + c] = static_cast<float>(parts[c]->at(i));
    }
    to.attributes.push_back({name, kind, {rows.data(), from.points.size(), 3}, {}});
    return true;
  }

  std::deque<std::vector<float>> memory_;
};

std::vector<viewer::figure> figures_of(figures const& told) {
  std::vector<viewer::figure> made;
  for (auto const& one : told) made.push_back({one.name, one.text()});
  return made;
}

}  // namespace

void page_maker::add(std::string const& name, cloud input, outcome made) {
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
    std::vector<viewer::cloud> clouds{maker.make("Input", input, made.of_input)};
    if (!made.result.points.empty()) clouds.push_back(maker.make(made.result_name, made.result, {}));
    if (single) {
      scene.clouds = std::move(clouds);
    } else {
      scene.moments.push_back({name, std::move(clouds), figures_of(made.told)});
    }
  }
  scene.title = title_;
  if (!single) scene.title += fmt::format(", {} files", added_);
  if (step_ > 1) scene.title += fmt::format(" (one in {} shown)", step_);
  auto const& done = moments_.front().made.done;
  if (!done.empty()) scene.title += ": " + done;
  scene.figures = figures_of(single ? moments_.front().made.told : in_all);
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

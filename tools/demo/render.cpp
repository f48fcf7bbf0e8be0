#include "render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "bitmap_font.hpp"
#include "cubes.hpp"

namespace farpoint_tools {

namespace {

// Everything is drawn at twice the size and halved at the end.
constexpr int zoom = 2;
constexpr int width = 1800 * zoom;
constexpr int height = 900 * zoom;
constexpr int margin = 16 * zoom;
constexpr int text_dot = 2 * zoom;
constexpr panel left_panel{margin, 46 * zoom, 876 * zoom, 798 * zoom};
constexpr panel right_panel{width - margin - left_panel.width, left_panel.y, left_panel.width, left_panel.height};

constexpr rgb frame_color{11, 14, 20};
constexpr rgb panel_color{17, 21, 30};
constexpr rgb grid_color{29, 35, 47};
constexpr rgb text_color{222, 227, 236};
constexpr rgb faint_text_color{134, 144, 162};
constexpr rgb sample_color{255, 176, 46};
constexpr rgb outline_color{24, 12, 4};

// From blue to pale green, in even steps of lightness; orange is for the samples.
rgb height_color(double share) {
  constexpr rgb stops[] = {{74, 92, 190},   {62, 122, 206},  {52, 152, 204}, {60, 182, 190},
                           {104, 206, 172}, {160, 226, 164}, {222, 242, 190}};
  constexpr int last = static_cast<int>(std::size(stops)) - 1;
  double const at = std::clamp(share, 0.0, 1.0) * last;
  int const stop = std::min(static_cast<int>(at), last - 1);
  return mix(stops[stop], stops[stop + 1], at - stop);
}

bool contains(panel const& where, double x, double y) {
  return x >= where.x && x < where.x + where.width && y >= where.y && y < where.y + where.height;
}

// Calls put(x, y) for the pixels of a disc that lie in the panel.
template <class Put>
void for_disc(panel const& where, double center_x, double center_y, double radius, Put const& put) {
  int const top = std::max(where.y, static_cast<int>(std::ceil(center_y - radius)));
  int const bottom = std::min(where.y + where.height - 1, static_cast<int>(std::floor(center_y + radius)));
  int const left = std::max(where.x, static_cast<int>(std::ceil(center_x - radius)));
  int const right = std::min(where.x + where.width - 1, static_cast<int>(std::floor(center_x + radius)));
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      double const dx = x - center_x;
      double const dy = y - center_y;
      if (dx * dx + dy * dy <= radius * radius) put(x, y);
    }
  }
}

// One panel: points with a depth buffer, then samples over them.
class panel_painter {
 public:
  panel_painter(image& canvas, panel const& where, view const& looking, extent const& heights)
      : canvas_{canvas},
        where_{where},
        view_{looking},
        heights_{heights},
        depths_(static_cast<std::size_t>(where.width) * static_cast<std::size_t>(where.height),
                std::numeric_limits<double>::infinity()) {}

  void draw_points(std::vector<point3> const& points) {
    std::vector<double> depths;
    std::size_t visible = 0;
    int const columns = where_.width / cell + 1;
    std::vector<bool> used(static_cast<std::size_t>(columns * (where_.height / cell + 1)));
    for (auto const& point : points) {
      auto const seen = view_.project(point);
      if (!seen || !contains(where_, seen->x, seen->y)) continue;
      ++visible;
      depths.push_back(seen->depth);
      int const column = (static_cast<int>(seen->x) - where_.x) / cell;
      int const row = (static_cast<int>(seen->y) - where_.y) / cell;
      used[static_cast<std::size_t>(std::int64_t{row} * columns + column)] = true;
    }
    used_pixels_ = static_cast<double>(std::count(used.begin(), used.end(), true)) * cell * cell;
    depth_range_ = robust_extent(depths, 0.02);
    double const radius = std::clamp(0.6 * std::sqrt(used_pixels_ / static_cast<double>(visible + 1)), 1.6, 5.0);
    for (auto const& point : points) draw_point(point, radius);
  }

  void draw_samples(std::vector<point3> const& points, std::vector<std::int64_t> const& samples) {
    std::vector<screen_point> marks;
    for (auto const index : samples) {
      auto const seen = view_.project(points[static_cast<std::size_t>(index)]);
      if (seen && contains(where_, seen->x, seen->y)) marks.push_back(*seen);
    }
    std::sort(marks.begin(), marks.end(), [](auto const& a, auto const& b) { return a.depth > b.depth; });
    // A tenth of what the cloud covers, so that it stays visible between the samples.
    double const usual = std::clamp(0.2 * std::sqrt(used_pixels_ / static_cast<double>(marks.size() + 1)), 2.4, 10.0);
    for (auto const& mark : marks) {
      double const radius = usual * growth(mark.depth);
      auto const color = mix(sample_color, panel_color, 0.35 * haze(mark.depth));
      for_disc(where_, mark.x, mark.y, radius + 1.5, [&](int x, int y) { canvas_.at(x, y) = outline_color; });
      for_disc(where_, mark.x, mark.y, radius, [&](int x, int y) { canvas_.at(x, y) = color; });
    }
  }

 private:
  static constexpr int cell = 4 * zoom;  // pixels; what a point counts as covering

  // 0 for the nearest, 1 for the farthest; depth does not show without perspective.
  double haze(double depth) const {
    if (!view_.has_perspective() || depth_range_.size() <= 0) return 0;
    return std::clamp((depth - depth_range_.low) / depth_range_.size(), 0.0, 1.0);
  }
  double growth(double depth) const { return view_.has_perspective() ? 1.4 - 0.7 * haze(depth) : 1; }

  void draw_point(point3 const& point, double usual_radius) {
    auto const seen = view_.project(point);
    if (!seen) return;
    double const height_share = heights_.size() > 0 ? (point[2] - heights_.low) / heights_.size() : 0.5;
    auto const color = mix(height_color(height_share), panel_color, 0.4 * haze(seen->depth));
    for_disc(where_, seen->x, seen->y, usual_radius * growth(seen->depth), [&](int x, int y) {
      auto& nearest = depths_[static_cast<std::size_t>(y - where_.y) * static_cast<std::size_t>(where_.width) +
                              static_cast<std::size_t>(x - where_.x)];
      if (seen->depth >= nearest) return;
      nearest = seen->depth;
      canvas_.at(x, y) = color;
    });
  }

  image& canvas_;
  panel where_;
  view const& view_;
  extent heights_;
  std::vector<double> depths_;  // depth of the front-most point of each pixel
  extent depth_range_;
  double used_pixels_ = 0;
};

// Scales of both panels.
struct picture_scales {
  extent x, y, z;    // range of most points
  double grid_step;  // meters
};

picture_scales measure(std::vector<point3> const& points, view const& above) {
  std::array<extent, 3> sides;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (auto const& point : points) {
      if (is_finite(point)) values.push_back(point[axis]);
    }
    sides[axis] = robust_extent(values, 0.01);
  }
  auto const somewhere = above.project({0, 0, 0});
  return {sides[0], sides[1], sides[2], round_length(left_panel.width / somewhere->scale / 6)};
}

// Lines on the ground at intervals of `grid_step`.
void draw_grid(image& canvas, panel const& where, view const& looking, picture_scales const& scales) {
  constexpr int dots_per_line = 3000;
  double const step = scales.grid_step;
  std::array<extent, 2> const sides{{{std::floor(scales.x.low / step) * step, std::ceil(scales.x.high / step) * step},
                                     {std::floor(scales.y.low / step) * step, std::ceil(scales.y.high / step) * step}}};
  for (std::size_t along = 0; along < 2; ++along) {
    auto const& across_side = sides[1 - along];
    int const lines = static_cast<int>(std::min(200.0, std::round(across_side.size() / step)));
    for (int line = 0; line <= lines; ++line) {
      for (int dot = 0; dot < dots_per_line; ++dot) {
        point3 point{};
        point[along] = static_cast<float>(sides[along].low + sides[along].size() * dot / (dots_per_line - 1));
        point[1 - along] = static_cast<float>(across_side.low + step * line);
        point[2] = static_cast<float>(scales.z.low);
        auto const seen = looking.project(point);
        if (!seen || !contains(where, seen->x, seen->y)) continue;
        canvas.fill(static_cast<int>(seen->x), static_cast<int>(seen->y), zoom, zoom, grid_color);
      }
    }
  }
}

void draw_empty_panel(image& canvas, panel const& where, view const& looking, picture_scales const& scales,
                      std::string const& title) {
  draw_text(canvas, where.x, 16 * zoom, title, text_dot, text_color);
  canvas.fill(where.x, where.y, where.width, where.height, panel_color);
  draw_grid(canvas, where, looking, scales);
}

void draw_panel(image& canvas, panel const& where, view const& looking, picture_scales const& scales,
                std::vector<point3> const& points, std::vector<std::int64_t> const& samples, std::string const& title) {
  draw_empty_panel(canvas, where, looking, scales, title);
  panel_painter painter{canvas, where, looking, scales.z};
  painter.draw_points(points);
  painter.draw_samples(points, samples);
}

// Colored as the points are.
std::vector<cube> cubes_of(voxel_cloud const& voxels, view const& looking, extent const& heights) {
  auto const& grid = voxels.grid;
  std::vector<cube> cubes(voxels.size());
  std::vector<double> depths;
  for (std::size_t v = 0; v < cubes.size(); ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      int const at = static_cast<int>(axis);
      cubes[v].size[axis] = grid.size[at];
      cubes[v].low[axis] = grid.origin[at] + static_cast<float>(voxels.coords[3 * v + axis]) * grid.size[at];
    }
    if (auto const seen = looking.project(cubes[v].low)) depths.push_back(seen->depth);
  }
  auto const depth_range = robust_extent(depths, 0.02);
  for (cube& box : cubes) {
    auto const seen = looking.project(box.low);
    double const far = seen && depth_range.size() > 0 ? (seen->depth - depth_range.low) / depth_range.size() : 0;
    double const middle = box.low[2] + 0.5 * box.size[2];
    double const share = heights.size() > 0 ? (middle - heights.low) / heights.size() : 0.5;
    box.color = mix(height_color(share), panel_color, 0.3 * std::clamp(far, 0.0, 1.0));
  }
  return cubes;
}

void draw_scale_bar(image& canvas, double meters, double pixels_per_meter) {
  int const length = static_cast<int>(std::lround(meters * pixels_per_meter));
  int const x = left_panel.x + 18 * zoom;
  int const y = left_panel.y + left_panel.height - 24 * zoom;
  auto const label = fmt::format("{:g} m", meters);
  // A plate, so that the label stays readable over points.
  canvas.fill(x - 8 * zoom, y - 26 * zoom, std::max(length, text_width(label, text_dot)) + 16 * zoom, 40 * zoom,
              frame_color);
  draw_text(canvas, x, y - 18 * zoom, label, text_dot, text_color);
  canvas.fill(x, y + 2 * zoom, length, 2 * zoom, text_color);
  canvas.fill(x, y - zoom, 2 * zoom, 8 * zoom, text_color);
  canvas.fill(x + length - 2 * zoom, y - zoom, 2 * zoom, 8 * zoom, text_color);
}

// From the right end of the caption's line to the left: the heights' colors, then, if there are any, the samples'.
void draw_legend(image& canvas, int y, extent const& heights, bool with_samples) {
  constexpr int bar = 120 * zoom;
  constexpr int gap = 10 * zoom;
  int x = width - margin;
  auto const put_text = [&](std::string const& text) {
    x -= text_width(text, text_dot);
    draw_text(canvas, x, y, text, text_dot, faint_text_color);
    x -= gap;
  };
  put_text(fmt::format("{:.3g} m", heights.high));
  x -= bar;
  for (int column = 0; column < bar; ++column) {
    canvas.fill(x + column, y, 1, glyph_height * text_dot, height_color(static_cast<double>(column) / (bar - 1)));
  }
  x -= gap;
  put_text(fmt::format("height {:.3g}", heights.low));
  if (!with_samples) return;
  x -= 2 * gap;
  put_text("sample");
  panel const everywhere{0, 0, width, height};
  for_disc(everywhere, x - gap / 2.0, y + 7.0 * zoom, 6 * zoom,
           [&](int px, int py) { canvas.at(px, py) = sample_color; });
}

}  // namespace

image render(std::vector<point3> const& points, std::vector<std::int64_t> const& samples, std::string const& caption) {
  image canvas{width, height, frame_color};
  auto const above = view::from_above(points, left_panel);
  auto const perspective = view::in_perspective(points, right_panel);
  auto const scales = measure(points, above);

  draw_panel(canvas, left_panel, above, scales, points, samples, "From above");
  draw_panel(canvas, right_panel, perspective, scales, points, samples,
             fmt::format("In perspective, grid of {:g} m", scales.grid_step));
  draw_scale_bar(canvas, scales.grid_step, above.project({0, 0, 0})->scale);

  int const caption_y = left_panel.y + left_panel.height + 20 * zoom;
  draw_text(canvas, margin, caption_y, caption, text_dot, text_color);
  draw_legend(canvas, caption_y, scales.z, true);
  return half_size(canvas);
}

image render_voxels(std::vector<point3> const& points, voxel_cloud const& voxels, std::string const& caption) {
  image canvas{width, height, frame_color};
  auto const scales = measure(points, view::from_above(points, left_panel));
  auto const of_points = view::in_perspective(points, left_panel);
  auto const of_voxels = view::in_perspective(points, right_panel);

  draw_panel(canvas, left_panel, of_points, scales, points, {},
             fmt::format("Points, grid of {:g} m", scales.grid_step));
  draw_empty_panel(canvas, right_panel, of_voxels, scales, fmt::format("Voxels of {:g} m", voxels.grid.size[0]));
  draw_cubes(canvas, right_panel, of_voxels, cubes_of(voxels, of_voxels, scales.z), panel_color);

  int const caption_y = left_panel.y + left_panel.height + 20 * zoom;
  draw_text(canvas, margin, caption_y, caption, text_dot, text_color);
  draw_legend(canvas, caption_y, scales.z, false);
  return half_size(canvas);
}

}  // namespace farpoint_tools

/// @file
/// Passes of knn() in screen space over a cloud on the host: drawing, numbering and the approximate search.
#pragma once

#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/screen/rounds/growing_window.hpp>
#include <farpoint/detail/screen/rounds/quadtree_build.hpp>
#include <farpoint/detail/screen/visible_points.hpp>
#include <farpoint/detail/search/knn_host.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counts of a unit, which is a range of points.
struct screen_unit {
  unsigned long long non_finite;
  unsigned long long unseen;
  index_t visible;
  index_t first;  ///< number of visible points of the units before
};

/// Arguments and memory that all jobs share.
template <class Points, class Camera>
struct knn_screen_task {
  using scalar = typename Points::scalar;

  Points cloud;
  screen_space<Camera> method;
  screen_row_writer<scalar> writer;
  screen_points<scalar> points;
  screen_unit* units;

  quadtree_layout layout;       ///< layout of the tree; this and the members below belong to the approximate search
  unsigned char* tree;          ///< [layout.size()]
  quadtree_point* tree_points;  ///< `[most visible]`
  vec<scalar>* packed;          ///< `[most visible]`, in the order of the tree

  screen_layers layers() const noexcept {
    return {points.words, method.camera.width, method.camera.height, method.layers};
  }
  index_t visible() const noexcept { return points.offsets[1]; }
};

/// Draws the cloud and numbers the visible points. A job of for_each_cloud().
template <class Points, class Camera>
class screen_view_job {
 public:
  using task_type = knn_screen_task<Points, Camera>;

  /// @param max_units  maximum number of units of a round
  screen_view_job(task_type const& task, std::uint32_t max_units) noexcept : task_{task}, max_units_{max_units} {}

  std::uint32_t begin(index_t) noexcept {
    layers_ = task_.layers();
    layer_ = 0;
    stage_ = stage::clear;
    return units_ = units_of(screen_words(task_.method));
  }

  void work(int, std::uint32_t unit) noexcept {
    switch (stage_) {
      case stage::clear: return clear(unit);
      case stage::draw: return draw(unit);
      case stage::count: return count(unit);
      case stage::number: return number(unit);
    }
  }

  std::uint32_t next() noexcept {
    switch (stage_) {
      case stage::clear: stage_ = stage::draw; return units_ = units_of(task_.cloud.size());
      case stage::draw:
        if (++layer_ == layers_.size()) stage_ = stage::count;
        return units_;
      case stage::count:
        add_up();
        stage_ = stage::number;
        return units_;
      case stage::number: break;
    }
    return 0;
  }

 private:
  enum class stage { clear, draw, count, number };

  std::uint32_t units_of(index_t size) const noexcept {
    return static_cast<std::uint32_t>(std::clamp<index_t>(size / 4096, 1, max_units_));
  }
  index_t first_of(std::uint32_t unit, index_t size) const noexcept { return size * unit / units_; }

  void clear(std::uint32_t unit) noexcept {
    index_t const size = screen_words(task_.method);
    std::fill(task_.points.words + first_of(unit, size), task_.points.words + first_of(unit + 1, size),
              zbuffer_ref::clear_value);
  }

  void draw(std::uint32_t unit) noexcept {
    undrawn_points undrawn;
    index_t const size = task_.cloud.size();
    for (index_t i = first_of(unit, size); i < first_of(unit + 1, size); ++i) {
      task_.points.pixel_of[i] = draw_point(task_.cloud, i, task_.method.camera, layers_, layer_, undrawn);
    }
    task_.units[unit] = {undrawn.non_finite, undrawn.unseen, 0, 0};
  }

  bool is_visible(index_t i) const noexcept {
    std::int32_t const pixel = task_.points.pixel_of[i];
    return pixel >= 0 && layers_.show(pixel, i);
  }

  void count(std::uint32_t unit) noexcept {
    index_t visible = 0;
    index_t const size = task_.cloud.size();
    for (index_t i = first_of(unit, size); i < first_of(unit + 1, size); ++i) visible += is_visible(i) ? 1 : 0;
    task_.units[unit].visible = visible;
  }

  void add_up() noexcept {
    knn_screen_report report;
    index_t first = 0;
    for (std::uint32_t unit = 0; unit < units_; ++unit) {
      screen_unit& seen = task_.units[unit];
      seen.first = first;
      first += seen.visible;
      report.non_finite_points += seen.non_finite;
      report.unseen_points += seen.unseen;
    }
    report.visible_points = static_cast<unsigned long long>(first);
    report.hidden_points =
        static_cast<unsigned long long>(task_.cloud.size() - first) - report.non_finite_points - report.unseen_points;
    task_.points.offsets[0] = 0;
    task_.points.offsets[1] = first;
    auto const& output = task_.writer.output;
    if (!output.visible_count.empty()) output.visible_count.set(0, first);
    if (output.report != nullptr) *output.report = report;
  }

  void number(std::uint32_t unit) noexcept {
    auto const& writer = task_.writer;
    index_t const size = task_.cloud.size();
    index_t at = task_.units[unit].first;
    for (index_t i = first_of(unit, size); i < first_of(unit + 1, size); ++i) {
      if (!is_visible(i)) {
        if (writer.by_input) writer.write_empty(writer.first_row + i);
        continue;
      }
      std::int32_t const pixel = task_.points.pixel_of[i];
      task_.points.index_of[at] = static_cast<std::uint32_t>(i);
      task_.points.at[at] = task_.cloud[i];
      writer.write_pixel(writer.row_of(at), pixel);
      if (!writer.output.visible.empty()) writer.output.visible.set(at, i);
      if (task_.tree_points != nullptr) task_.tree_points[at] = tree_point(pixel, i, static_cast<std::uint32_t>(at));
      ++at;
    }
  }

  quadtree_point tree_point(std::int32_t pixel, index_t index, std::uint32_t number) const noexcept {
    std::int32_t const width = task_.method.camera.width;
    int layer = 0;
    while (layer + 1 < layers_.size() && layers_[layer].front(pixel).index != index) ++layer;
    vec<int, 2> const cell = cell_of_layer({{pixel % width, pixel / width}}, layer, layers_.size());
    return {static_cast<std::uint16_t>(cell[0]), static_cast<std::uint16_t>(cell[1]), layers_[layer].front(pixel).depth,
            number};
  }

  task_type const& task_;
  std::uint32_t max_units_;

  screen_layers layers_;
  int layer_ = 0;
  stage stage_ = stage::clear;
  std::uint32_t units_ = 1;
};

/// Approximate search: builds the tree, then searches the neighbors of each visible point. A job of for_each_cloud().
template <class Points, class Camera>
class screen_rounds_job {
 public:
  using task_type = knn_screen_task<Points, Camera>;
  using scalar = typename Points::scalar;

  screen_rounds_job(task_type const& task, std::uint32_t max_units) noexcept : task_{task}, max_units_{max_units} {}

  std::uint32_t begin(index_t) noexcept {
    is_built_ = false;
    return 1;
  }
  void work(int, std::uint32_t unit) noexcept {
    if (is_built_) {
      search(unit);
    } else {
      build();
    }
  }
  std::uint32_t next() noexcept {
    if (is_built_) return 0;
    is_built_ = true;
    return units_ = static_cast<std::uint32_t>(std::clamp<index_t>(task_.visible() / 256, 1, max_units_));
  }

 private:
  using key = neighbor_key<scalar>;

  void build() noexcept {
    quadtree_arrays const arrays = task_.layout.cut(task_.tree);
    span<quadtree_point const> const points{task_.tree_points, static_cast<std::size_t>(task_.visible())};
    fill_tiles(task_.layout, arrays, points);
    fill_levels(task_.layout, arrays);
    pack_points(task_.layout, arrays, points);
    for (std::size_t i = 0; i < points.size(); ++i) task_.packed[i] = task_.points.at[arrays.indices[i]];
  }

  void search(std::uint32_t unit) const noexcept {
    auto const& method = task_.method;
    auto const request = make_rounds_request(method);
    quadtree_ref const tree{task_.layout, task_.tree};
    index_t const size = task_.visible();
    for (index_t i = size * unit / units_; i < size * (unit + 1) / units_; ++i) {
      ask(tree, request, static_cast<std::uint32_t>(i));
    }
  }

  void ask(quadtree_ref const& tree, screen_rounds_request<scalar> const& request,
           std::uint32_t position) const noexcept {
    if constexpr (knows_pixel_span<Camera>) {
      key keys[max_neighbors];
      search_rounds(tree, task_.packed, task_.method.camera, request, position, [&](key const& limit) {
        return topk_heap<key>{keys, request.k, limit};
      }).sort();
      task_.writer.write_keys(tree.index(position), keys, count_keys(keys, request.k));
    }
  }

  task_type const& task_;
  std::uint32_t max_units_;
  std::uint32_t units_ = 1;
  bool is_built_ = false;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

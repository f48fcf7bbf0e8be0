// The calls that a frame is made of, on arrays of the host or of a GPU.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/types/draw_splats.hpp>
#include <farpoint/types/neighbor_normals.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "frame.hpp"

namespace farpoint_tools {

/// @tparam Side  where: `exec()`, `array<T>`, `pointer(array)`, `copy_n(from, count, to)` between arrays and the host,
///               `wait()`, `frame_seconds(enqueue)`, `index_seconds(...)`, `repeats`
template <class Side>
class frame_maker {
 public:
  frame_maker(Side& side, std::vector<point3> const& cloud, frame_request const& request,
              std::vector<float> const& colors)
      : side_{side},
        request_{request},
        large_{enlarged(request.looking, request.zoom)},
        method_{request.looking},
        k_{request.given == nullptr ? request.k : static_cast<int>(request.given->neighbors.k)},
        most_{std::min(cloud.size(), pixels_of(request.looking))},
        cloud_(3 * cloud.size()),
        words_(pixels_of(request.looking)),
        visible_(most_),
        indices_(most_ * static_cast<std::size_t>(k_)),
        distances_(indices_.size()),
        count_(1),
        normals_(3 * most_),
        tangents_(3 * most_),
        extents_(2 * most_),
        own_colors_(colors.empty() ? 0 : 3 * most_),
        colors_(3 * pixels_of(large_)),
        depths_(pixels_of(large_)) {
    method_.k = k_;
    method_.rounds = request.rounds;
    // Where few points are visible, as through gaps of a surface in front, neighbors are distant and their splats
    // large.
    constexpr double usual = 6;  // half axis in pixels that is always allowed
    double const pixel = double{request.looking.translation[2]} / double{request.looking.focal[0]};
    params_.most_extent = std::max(request.reach / 64, usual * pixel);
    if (!colors.empty()) params_.light = farpoint::splat_light::none();
    Side::copy_n(reinterpret_cast<float const*>(cloud.data()), cloud_.size(), cloud_.begin());
    Side::copy_n(colors.data(), colors.size(), own_colors_.begin());
    if (!searches()) upload(*request.given);
    workspace_ = array<unsigned char>(std::max(knn_workspace_bytes(side_.exec(), points(), method_),
                                               draw_splats_workspace_bytes(side_.exec(), splats(), large_, params_)) +
                                      alignment);
    side_.wait();
  }

  void project_points() {
    farpoint::zbuffer_ref const zbuffer{span_of(words_), request_.looking.width, request_.looking.height};
    expect_ok(project(side_.exec(), points(), request_.looking, zbuffer));
  }
  /// Finds the visible points and their neighbors, where they are not given.
  void search() {
    if (searches()) expect_ok(knn(side_.exec(), points(), method_, found(), workspace()));
  }
  void fit() {
    vec3 const eye = eye_of(request_.looking);
    farpoint::neighbor_normals_params params;
    params.viewpoint = {{eye[0], eye[1], eye[2]}};
    farpoint::neighbor_rows const rows{span_of(indices_), k_, span_of(visible_), span_of(count_)};
    expect_ok(normals_from_neighbors(side_.exec(), points(), rows, params,
                                     {span_of(normals_), {}, span_of(tangents_), span_of(extents_)}));
  }
  void draw() {
    farpoint::splat_image image;
    image.colors = span_of(colors_);
    image.depths = span_of(depths_);
    expect_ok(draw_splats(side_.exec(), points(), splats(), large_, params_, image, workspace()));
  }

  splat_frame make() {
    splat_frame made;
    made.looking = request_.looking;
    double const searching = seconds_of([&] { search(); });
    double const fitting = seconds_of([&] { fit(); });
    made.info.seconds = searching + fitting;
    if (!request_.measure) {
      draw();
    } else {
      auto& times = made.times;
      times.projection = seconds_of([&] { project_points(); });
      if (searches()) {
        times.index = side_.index_seconds(points(), method_, found(), workspace());
        times.search = std::max(0.0, searching - times.projection - times.index);
        search();  // measuring the index has overwritten the result
      }
      times.normals = fitting;
      times.splats = seconds_of([&] { draw(); });
      times.frame = side_.frame_seconds([&] {
        search();
        fit();
        draw();
      });
    }
    side_.wait();
    download(made);
    return made;
  }

 private:
  template <class T>
  using array = typename Side::template array<T>;
  using cloud_type = farpoint::batch<farpoint::point_view<float>>;
  static constexpr std::size_t alignment = 256;

  static std::size_t pixels_of(camera const& looking) {
    return static_cast<std::size_t>(looking.width) * static_cast<std::size_t>(looking.height);
  }
  static void expect_ok(farpoint::result const& outcome) {
    if (!outcome) throw std::runtime_error{outcome.reason};
  }
  template <class T>
  static farpoint::span<T> span_of(array<T>& values) {
    return {values.size() == 0 ? nullptr : Side::pointer(values), values.size()};
  }
  farpoint::bytes workspace() {
    unsigned char* const begin = Side::pointer(workspace_);
    std::size_t const gap = (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment) % alignment;
    return {begin + gap, workspace_.size() - gap};
  }
  cloud_type points() {
    return cloud_type{
        farpoint::point_view<float>{Side::pointer(cloud_), static_cast<farpoint::index_t>(cloud_.size() / 3)}};
  }
  farpoint::splat_view<float> splats() {
    farpoint::splat_view<float> splats{span_of(extents_)};
    splats.normals = span_of(normals_);
    splats.tangents = span_of(tangents_);
    splats.points = span_of(visible_);
    splats.count = span_of(count_);
    splats.colors = span_of(own_colors_);
    return splats;
  }
  farpoint::knn_screen_output<float> found() {
    farpoint::knn_screen_output<float> output;
    output.indices = span_of(indices_);
    output.distances = span_of(distances_);
    output.visible = span_of(visible_);
    output.visible_count = span_of(count_);
    return output;
  }
  /// Mean time of a run (s); on a GPU without the first run, which loads the kernels.
  template <class Work>
  double seconds_of(Work const& work) {
    if (Side::repeats > 1) work();
    side_.wait();
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < Side::repeats; ++i) work();
    side_.wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / Side::repeats;
  }
  bool searches() const { return request_.given == nullptr; }
  void upload(view_search const& given) {
    auto const count = static_cast<std::int32_t>(given.visible.size());
    Side::copy_n(&count, 1, count_.begin());
    Side::copy_n(given.visible.data(), given.visible.size(), visible_.begin());
    Side::copy_n(given.neighbors.indices.data(), given.neighbors.indices.size(), indices_.begin());
    Side::copy_n(given.neighbors.distances.data(), given.neighbors.distances.size(), distances_.begin());
  }
  void download(splat_frame& made) {
    std::vector<std::int32_t> count(1);
    Side::copy_n(count_.begin(), 1, count.data());
    auto const seen = static_cast<std::size_t>(count[0]);
    auto const k = static_cast<std::size_t>(k_);
    made.seen = {std::vector<std::int32_t>(seen),
                 {k, std::vector<std::int32_t>(seen * k), std::vector<float>(seen * k)}};
    made.normals.resize(seen);
    made.extents.resize(2 * seen);
    made.picture = {large_, std::vector<float>(depths_.size()), std::vector<float>(colors_.size())};
    Side::copy_n(visible_.begin(), seen, made.seen.visible.data());
    Side::copy_n(indices_.begin(), seen * k, made.seen.neighbors.indices.data());
    Side::copy_n(distances_.begin(), seen * k, made.seen.neighbors.distances.data());
    Side::copy_n(normals_.begin(), 3 * seen, reinterpret_cast<float*>(made.normals.data()));
    Side::copy_n(extents_.begin(), 2 * seen, made.extents.data());
    Side::copy_n(depths_.begin(), depths_.size(), made.picture.depths.data());
    Side::copy_n(colors_.begin(), colors_.size(), made.picture.colors.data());
  }

  Side& side_;
  frame_request request_;
  camera large_;
  farpoint::screen_space<camera> method_;
  int k_;
  farpoint::draw_splats_params params_;
  std::size_t most_;
  array<float> cloud_;
  array<std::uint64_t> words_;
  array<std::int32_t> visible_, indices_;
  array<float> distances_;
  array<std::int32_t> count_;
  array<float> normals_, tangents_, extents_, own_colors_, colors_, depths_;
  array<unsigned char> workspace_;
};

}  // namespace farpoint_tools

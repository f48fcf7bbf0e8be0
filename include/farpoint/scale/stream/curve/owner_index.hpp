/// @file
/// Searches among the points that a rank owns, whose neighbours have other names than their places there.
#pragma once

#include <farpoint/point_bvh.hpp>
#include <farpoint/scale/stream/knn_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The points of a search, and what it makes of them.
template <class Scalar>
struct knn_owned_points {
  point_view<Scalar> points{};
  index_view names{};                              ///< `[points]`, ascending: what is written for a point
  std::uint32_t const* excluded_points = nullptr;  ///< see knn_request; null where queries leave out their own index
};

/// A BVH of the points, with memory for a number of points and of queries. It has what a knn_stream_index has.
template <class Exec, class Scalar>
class knn_owner_index;

/// Bytes of a BVH of so many points.
template <class Scalar, class Exec>
std::size_t owner_index_bytes(Exec exec, index_t points) noexcept {
  std::size_t bound = 0;
  static_cast<void>(point_bvh_bound<point_view<Scalar>>(exec, batch_limits{points, 1}, bound));
  return bound;
}

template <class Scalar>
class knn_owner_index<host_exec, Scalar> {
 public:
  using view = point_view<Scalar>;

  knn_owner_index(host_exec exec, workspace_cutter& cutter, knn_owned_points<Scalar> const& owned, index_t points,
                  index_t queries) noexcept
      : owned_{owned},
        memory_{cutter.take_workspace(owner_index_bytes<Scalar>(exec, points))},
        workspace_{
            cutter.take_workspace(index_search_plan<view>{exec, 1, batch<view>{view{nullptr, queries}}}.bytes())} {}

  result build(host_exec exec) noexcept { return build_point_bvh(exec, batch<view>{owned_.points}, memory_, index_); }

  template <class Queries>
  result search(host_exec exec, Queries const& queries, exact const& method,
                knn_stream_rows<Scalar> const& to) const noexcept {
    batch<Queries> const all{queries};
    bool const self = is_same_view(owned_.points, queries);
    bool const fits = !self && index_search_plan<Queries>{exec, 1, all}.bytes() <= workspace_.size();
    auto const write = [&](index_t row, auto const* keys, int count) {
      for (index_t j = 0; j < to.k; ++j) {
        bool const is_there = j < count;
        to.rows.indices.set(row * to.k + j, is_there ? owned_.names[index_t{keys[j].index()}] : -1);
        to.rows.distances[static_cast<std::size_t>(row * to.k + j)] =
            is_there ? keys[j].distance2() : no_distance<Scalar>;
      }
    };
    list_consumer const consumer{
        [&](index_t, index_t row, auto const* keys, int count) { write(row, keys, count); },
        [&](index_t row) { write(row, static_cast<neighbour_key<Scalar> const*>(nullptr), 0); }};
    knn_request<Scalar> const request{static_cast<int>(to.k), squared_radius<Scalar>(method.max_radius),
                                      method.exclude_self, owned_.excluded_points};
    knn_task<neighbour_key<Scalar>, Scalar, decltype(consumer)> const task{request, consumer,
                                                                           choose_knn_pass<Scalar>(request.k)};
    search_of_index<point_bvh<Scalar>, Queries> const searched{exec, index_, all, self, fits ? workspace_ : bytes{}};
    auto const found = searched(task, consumer.leave_empty);
    if (to.rows.report != nullptr) *to.rows.report = {found.non_finite_points, found.non_finite_queries, 0};
    return {};
  }

 private:
  knn_owned_points<Scalar> owned_;
  bytes memory_;
  bytes workspace_;
  point_bvh<Scalar> index_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

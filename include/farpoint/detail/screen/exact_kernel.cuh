/// @file
/// knn() in screen space on a GPU, the exact search: who asks, and which row the answer goes to.
#pragma once

#include <farpoint/detail/screen/draw_kernel.cuh>
#include <farpoint/detail/search/queries.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Stands for the visible points where a search needs the type of its queries.
template <class Scalar>
struct visible_queries {
  using scalar = Scalar;
};

/// The points of an index by their places in its leaves, each with the row of the output that is its own. Points have
/// their indices in the cloud: neighbours are written as they are found.
template <class Scalar>
class search_queries<visible_queries<Scalar>> {
 public:
  using scalar = Scalar;
  using query = search_query<scalar>;

  /// @param slots      places in the index, at most
  /// @param number_of  `[points]`: a visible point's row; null: rows are those of the input
  search_queries(point_bvh_arrays<scalar> const& index, index_t slots, std::int32_t const* number_of,
                 screen_state const* state) noexcept
      : index_{index}, slots_{slots}, number_of_{number_of}, state_{state} {}

  bool are_in_row_order() const noexcept { return false; }
  index_t threads() const noexcept { return slots_; }

  FARPOINT_HD point_bvh_ref<scalar> index_of(query const&) const noexcept { return index_[0]; }
  FARPOINT_HD point_bvh_ref<scalar> index_of(index_t) const noexcept { return index_[0]; }
  FARPOINT_HD point_boxes<scalar> const* boxes_of(index_t, int level) const noexcept {
    return index_.boxes_of(0, index_.clouds[0].begin, level);
  }

  /// The visible points of a cloud whose offsets are wrong are none.
  FARPOINT_HD bool has_bad_offsets() const noexcept { return false; }
  /// Visible points are finite: no row is bad.
  FARPOINT_HD query of_thread(index_t thread, index_t& /*bad_row*/) const noexcept {
    query q;
    if (thread >= index_.clouds[0].size) return q;
    point_leaf<scalar> const& home = index_.leaves[thread / point_bvh_width];
    auto const lane = static_cast<int>(thread % point_bvh_width);
    if (home.index[lane] == no_index) return q;
    q.cloud = 0;
    q.index = index_t{home.index[lane]};
    q.row = number_of_ == nullptr ? state_->first_row + q.index : index_t{number_of_[q.index]};
    q.start = static_cast<std::uint32_t>(thread / point_bvh_width);
    q.at = home.at(lane);
    return q;
  }

 private:
  point_bvh_arrays<scalar> index_;
  index_t slots_;
  std::int32_t const* number_of_;
  screen_state const* state_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

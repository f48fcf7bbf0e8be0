/// @file
/// knn() in screen space on a GPU, the exact search: the visible points as queries, and their rows of the output.
#pragma once

#include <farpoint/detail/screen/draw_kernel.cuh>
#include <farpoint/detail/search/queries.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Tag for the visible points where a search needs the type of its queries.
template <class Scalar>
struct visible_queries {
  using scalar = Scalar;
};

/// Queries at the points of an index, by slot in its leaves, each with its row of the output. The points have their
/// indices in the cloud, so neighbors need no translation.
template <class Scalar>
class search_queries<visible_queries<Scalar>> {
 public:
  using scalar = Scalar;
  using query = search_query<scalar>;

  static constexpr bool may_be_external = false;

  /// @param slots      maximum number of slots in the index
  /// @param number_of  `[points]`: row of each visible point; null if rows are points of the input
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

  /// A cloud with bad offsets has no visible points, so there are no queries to refuse.
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

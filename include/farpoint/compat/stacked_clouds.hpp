/// @file
/// Clouds that lie one after another, by the number of points of each, as OpenPCDet's pointnet2_stack has them.
#pragma once

#include <farpoint/compat/execution.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Offset i is the sum of the counts before it.
struct add_up_counts {
  int const* counts;
  index_t* offsets;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    index_t sum = 0;
    for (Number b = 0; b < i; ++b) sum += counts[b];
    offsets[i] = sum;
  }
};

/// Points `[points, 3]` of `clouds` clouds, and the number of points of each.
struct stacked_points {
  float const* xyz;
  index_t points;
  int const* counts;
  index_t clouds;

  /// The clouds as a batch with the offsets at `offsets`, which may be null for a batch of which only sizes are read.
  batch<point_view<float>> with_offsets(index_t const* offsets) const noexcept {
    static constexpr index_t unread = 0;
    return batch<point_view<float>>::ragged(
        published_points(xyz, points), {offsets == nullptr ? &unread : offsets, static_cast<std::size_t>(clouds) + 1});
  }

  launcher_array<float const> all_points() const noexcept { return {xyz, points * 3}; }
  launcher_array<int const> all_counts() const noexcept { return {counts, clouds}; }
};

/// Two of these in the workspace of a search, and the offsets of both.
template <class Exec>
class stacked_search {
 public:
  stacked_search(Exec exec, stacked_points const& points, stacked_points const& queries) noexcept
      : exec_{exec}, points_{points}, queries_{queries} {}

  /// @param search_bytes  `search_bytes(points, queries)`: what the search needs
  template <class SearchBytes>
  std::size_t bytes(SearchBytes const& search_bytes) const noexcept {
    launcher_memory memory;
    auto const offsets = cut(memory);
    return memory.used() + search_bytes(points_.with_offsets(offsets.points), queries_.with_offsets(offsets.queries));
  }

  /// @param reason  why a workspace that is too small is refused
  /// @param search  `search(points, queries, workspace)`, which returns a result
  template <class SearchBytes, class Search>
  result run(farpoint::bytes workspace, char const* reason, SearchBytes const& search_bytes,
             Search const& search) const noexcept {
    if (result const checked = farpoint::detail::check_workspace(workspace, bytes(search_bytes), reason); !checked) {
      return checked;
    }
    launcher_memory memory{workspace.data()};
    auto const offsets = cut(memory);
    if (result const summed = add_up(points_, offsets.points); !summed) return summed;
    if (result const summed = add_up(queries_, offsets.queries); !summed) return summed;
    return search(points_.with_offsets(offsets.points), queries_.with_offsets(offsets.queries),
                  rest_of(workspace, memory));
  }

 private:
  struct arrays {
    index_t* points;
    index_t* queries;
  };
  result add_up(stacked_points const& clouds, index_t* offsets) const noexcept {
    return for_each_index(exec_, clouds.clouds + 1, add_up_counts{clouds.counts, offsets});
  }
  arrays cut(launcher_memory& memory) const noexcept {
    arrays offsets{};
    offsets.points = memory.template take<index_t>(points_.clouds + 1);
    offsets.queries = memory.template take<index_t>(queries_.clouds + 1);
    return offsets;
  }

  Exec exec_;
  stacked_points points_;
  stacked_points queries_;
};

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE

// Published methods on the GPU: their kernels, timed as graphs like farpoint's calls.
#pragma once

#include <cstdint>
#include <vector>

#include "view_search.hpp"

namespace farpoint_tools {

enum class published_method { fastknn_program, auto_splats };

/// Times of a search in screen space (ms, mean of replays), and its result.
struct published_search {
  double projection_ms = 0;
  double tree_ms = 0;
  double search_ms = 0;
  neighbor_rows neighbors;  ///< indices alone, in any order, padded with -1

  double all_ms() const { return projection_ms + tree_ms + search_ms; }
};

/// Searches as FastKNN's program or Auto Splats do; k up to 32. There must be a GPU.
/// @param visible  indices of the front-most points of the pixels, whose rows come back
published_search search_published(published_method method, std::vector<point3> const& cloud,
                                  std::vector<std::int32_t> const& visible, camera const& looking, int k);

/// Samples by the textbook's kernel, a block for each cloud. There must be a GPU.
/// @param points   `[clouds, points / clouds]`
/// @param indices  `[clouds, samples]`: filled
/// @return the time (ms): the median of `repeats` calls
double sample_by_textbook(std::vector<point3> const& points, std::int64_t clouds, std::int64_t samples, int repeats,
                          std::vector<std::int64_t>& indices);

}  // namespace farpoint_tools

// Lists of offsets as a bug leaves them in memory.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "../fps/fps_problem.hpp"
#include "random.hpp"

namespace farpoint_tests {

/// Offsets of `clouds` clouds in a view of `points`, of which at least one is wrong, as a rule.
inline std::vector<index_t> garbage_offsets(random_source& random, index_t points, index_t clouds) {
  std::vector<index_t> offsets;
  for (index_t i = 0; i <= clouds; ++i) offsets.push_back(random.below(points + 1));
  std::sort(offsets.begin(), offsets.end());
  auto& one = offsets[static_cast<std::size_t>(random.below(clouds + 1))];
  switch (random.below(9)) {
    case 0: one = -1 - random.below(3); break;
    case 1: one = points + 1 + random.below(3); break;
    case 2: one = static_cast<index_t>(random.next()); break;
    case 3: one = std::numeric_limits<index_t>::max() - random.below(3); break;
    case 4: one = std::numeric_limits<index_t>::min() + random.below(3); break;
    case 5: std::reverse(offsets.begin(), offsets.end()); break;
    case 6: offsets.front() = offsets.back() + 1; break;
    case 7:
      for (auto& offset : offsets) offset = static_cast<index_t>(random.next());
      break;
    default:
      for (auto& offset : offsets) offset = random.below(3 * points + 3) - points;
  }
  return offsets;
}

/// Mostly indices of points, and some that are no numbers of any.
inline std::vector<index_t> garbage_indices(random_source& random, index_t points, index_t count) {
  std::vector<index_t> indices;
  for (index_t i = 0; i < count; ++i) {
    bool const is_wild = random.below(4) == 0;
    // Within 32 bits: that is how they are passed now and then.
    indices.push_back(is_wild ? static_cast<std::int32_t>(random.next()) : random.below(points + 4) - 2);
  }
  return indices;
}

}  // namespace farpoint_tests

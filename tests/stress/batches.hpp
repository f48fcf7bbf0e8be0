// Clouds for calls under load.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/points.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "../support/clouds.hpp"
#include "../support/random.hpp"

namespace farpoint_stress {

using farpoint::index_t;
using farpoint_tests::random_source;
using view = farpoint::point_view<float>;

/// Clouds of three floats a point, regular or ragged.
struct batch_data {
  std::vector<float> xyz;
  index_t clouds = 1;
  std::vector<index_t> offsets;  ///< not empty: ragged

  index_t points() const { return static_cast<index_t>(xyz.size() / 3); }

  /// Copies the batch into arrays of a call_memory.
  template <class Memory>
  farpoint::batch<view> in(Memory& memory) const {
    view const all{memory.input(xyz).data(), points()};
    if (offsets.empty()) return farpoint::batch<view>::regular(all, clouds);
    return farpoint::batch<view>::ragged(all, memory.input(offsets));
  }
  /// Points of cloud b.
  index_t size_of(index_t b) const {
    auto const at = static_cast<std::size_t>(b);
    return offsets.empty() ? points() / clouds : offsets[at + 1] - offsets[at];
  }
};

/// `clouds` clouds of `size` points, even in a cube of 100 m.
inline batch_data even_batch(index_t clouds, index_t size, std::uint64_t seed) {
  random_source random{seed};
  batch_data batch;
  batch.clouds = clouds;
  batch.xyz.resize(static_cast<std::size_t>(3 * clouds * size));
  for (float& coordinate : batch.xyz) coordinate = 100 * random.uniform();
  return batch;
}

/// Clouds that begin and end anywhere in a view of up to `most` points of any of the tests' shapes.
inline batch_data random_batch(random_source& random, index_t most, index_t clouds) {
  using namespace farpoint_tests;
  auto const n = random.below(20) == 0 ? 0 : 1 + random.below(most);
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  batch_data batch;
  batch.clouds = clouds;
  for (auto const& point : make_cloud(which, static_cast<std::size_t>(n - n % clouds), random.next())) {
    for (double const coordinate : point) batch.xyz.push_back(static_cast<float>(coordinate));
  }
  if (random.below(2) == 0) {
    for (index_t b = 0; b <= clouds; ++b) batch.offsets.push_back(random.below(batch.points() + 1));
    std::sort(batch.offsets.begin(), batch.offsets.end());
  }
  return batch;
}

/// "1,000,000"
inline std::string with_commas(index_t number) {
  std::string text = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > 0; place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text;
}

}  // namespace farpoint_stress

/// @file
/// Offsets of clouds whose sizes are known, such as the int32 lengths that go with points in torch.
/// offsets_of_sizes.cuh adds cuda_exec.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/host/for_each_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Each offset adds up the sizes before it: there are few clouds, and no memory to meet at.
struct offsets_by_sizes {
  index_view sizes;
  span<index_t> offsets;

  result check() const noexcept {
    if (sizes.size() >= max_clouds) return reject("offsets_of_sizes: more than 2^31 - 2 clouds");
    if (static_cast<index_t>(offsets.size()) != sizes.size() + 1) {
      return reject("offsets_of_sizes: there is not one offset more than there are sizes");
    }
    return {};
  }
  index_t count() const noexcept { return sizes.size() + 1; }

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    // Modulo 2^64: sizes may be anything.
    std::uint64_t sum = 0;
    for (Number b = 0; b < i; ++b) sum += static_cast<std::uint64_t>(sizes[static_cast<index_t>(b)]);
    offsets[i] = static_cast<index_t>(sum);
  }
};

}  // namespace detail

/// Adds sizes of clouds up to the offsets of a ragged batch: offset b is the sum of the sizes before cloud b. A
/// negative size makes offsets that descend, which the calls that they are passed to count as wrong (bad_offsets).
///
/// @param exec     threads to use; blocks until done
/// @param sizes    `[clouds]`: points of each cloud, of 32 or 64 bits
/// @param offsets  `[clouds + 1]`, for batch::ragged()
/// @return ok | bad_argument; nothing is written on failure
/// Complexity: O(clouds^2) additions, shared by all threads: made for some thousands of clouds. Thread-safe.
inline result offsets_of_sizes(host_exec exec, index_view sizes, span<index_t> offsets) noexcept {
  detail::offsets_by_sizes const add{sizes, offsets};
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = add.check(); !checked) return checked;
  return for_each_index(exec, add.count(), add, 1 + sizes.size() / 2);
}

FARPOINT_END_NAMESPACE

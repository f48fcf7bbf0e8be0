/// @file
/// Parameters of fps() from arguments of Python.
#pragma once

#include <farpoint/types/fps.hpp>

#include <cstdint>
#include <optional>

namespace farpoint_python {

/// Parameters of a call. A `seed` draws the first sample at random, and `first` is not read then.
inline farpoint::fps_params fps_params_of(farpoint::index_t samples, farpoint::index_t first, double stop_below,
                                          std::optional<std::uint64_t> const& seed) {
  farpoint::fps_params params;
  params.samples = samples;
  params.first = first;
  params.stop_below = stop_below;
  params.random_first = seed.has_value();
  params.seed = seed.value_or(0);
  return params;
}

}  // namespace farpoint_python

/// @file
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/fps/taken.hpp>
#include <farpoint/types/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// What a block kernel of fps() is launched with.
template <class Points>
struct fps_block_args {
  using scalar = typename Points::scalar;

  batch<Points> clouds;
  fps_params params;
  fps_output<scalar> output;
  scalar stop2 = 0;          ///< squared params.stop_below
  index_t above = -1;        ///< this launch serves the clouds of more than `above` points...
  index_t up_to = 0;         ///< ...and at most `up_to`: in a ragged batch, each kernel takes what suits it
  scalar* arrays = nullptr;  ///< streaming kernel only: `[fps_global_memory_scalars, points of the batch]`
};

}  // namespace detail
FARPOINT_END_NAMESPACE

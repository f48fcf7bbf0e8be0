/// @file
/// Where fps_shard() writes.
#pragma once

#include <farpoint/types/fps.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of fps_shard(). Every rank gets all samples. Every part except `indices` is optional.
template <class Scalar = float>
struct fps_shard_output {
  span<index_t> indices = {};    ///< `[samples]`: indices into the whole cloud, as in fps_output
  span<Scalar> distances = {};   ///< `[samples]`: squared distances (m^2), as in fps_output
  index_t* count = nullptr;      ///< number of samples picked
  index_t* exchanges = nullptr;  ///< number of exchanges, the same on every rank
  fps_report* report = nullptr;  ///< for the whole cloud, the same on every rank
};

FARPOINT_END_NAMESPACE

/// @file
/// Workspace of fps_shard() on a rank of the host.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/host_candidates.hpp>
#include <farpoint/host/curve_order.hpp>
#include <farpoint/scale/host/fps_message.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays of one call, cut from its workspace, and the size of the workspace that they need.
template <class Scalar, int Dim>
struct fps_shard_memory {
  using messages = fps_shard_messages<Scalar, Dim>;

  index_t fill = 0;  ///< points per bucket
  fps_bucket_chunk<Scalar, Dim>* chunks = nullptr;
  fps_bucket<Scalar, Dim>* buckets = nullptr;
  std::uint32_t* order = nullptr;  ///< `[points]`
  curve_order_memory<Scalar, Dim> curve = {};
  std::uint32_t* marks = nullptr;  ///< one bit per point: set if the point is chosen before the first round
  fps_host_candidates<Scalar>* lists = nullptr;  ///< `[groups]`: candidate lists, stored in `entries`
  fps_entry<Scalar>* entries = nullptr;          ///< `[groups, 2 * listed]`
  std::uint32_t* slots = nullptr;                ///< `[groups, listed]`: slot of each listed candidate of this rank
  unsigned char* sent = nullptr;                 ///< message of this rank
  unsigned char* received = nullptr;             ///< `[ranks]`: messages of all ranks
  unsigned char* accepted = nullptr;  ///< `[ranks, groups, listed]`: 1 if the candidate became a sample in this round
  fps_ball_group<Scalar, Dim>* samples = nullptr;  ///< samples of this round
  fps_shard_key<Scalar>* found = nullptr;  ///< `[wanted + ranks * groups * listed]`: best samples so far and new ones
  fps_shard_start<Scalar, Dim>* starts = nullptr;  ///< `[ranks]`
  std::size_t size = 0;                            ///< bytes from `workspace` to the end of the last array

  /// @param workspace  null to compute `size` only
  fps_shard_memory(unsigned char* workspace, int threads, int ranks, index_t points, index_t wanted,
                   fps_shard_tuning const& tuning) noexcept {
    workspace_cutter cutter{workspace};
    index_t const chunk = index_t{fps_bucket_group} * tuning.groups;
    fill = smaller<index_t>(fps_bucket_points, larger(tuning.min_fill, divide_up(points, chunk)));
    index_t const all_buckets = divide_up(points, fill);
    chunks = cutter.take<fps_bucket_chunk<Scalar, Dim>>(divide_up<index_t>(all_buckets, fps_bucket_group));
    buckets = cutter.take<fps_bucket<Scalar, Dim>>(all_buckets);
    order = cutter.take<std::uint32_t>(points);
    curve = decltype(curve)::take(cutter, threads == 1 ? 1 : static_cast<std::uint32_t>(4 * threads));
    marks = cutter.take<std::uint32_t>(divide_up<index_t>(points, 32));
    index_t const listed = tuning.groups * tuning.listed;
    lists = cutter.take<fps_host_candidates<Scalar>>(tuning.groups);
    entries = cutter.take<fps_entry<Scalar>>(2 * listed);
    slots = cutter.take<std::uint32_t>(listed);
    auto const message = static_cast<index_t>(messages::bytes(tuning));
    sent = cutter.take<unsigned char>(message);
    received = cutter.take<unsigned char>(ranks * message);
    accepted = cutter.take<unsigned char>(ranks * listed);
    samples = cutter.take<fps_ball_group<Scalar, Dim>>(divide_up<index_t>(ranks * listed, fps_bucket_group));
    found = cutter.take<fps_shard_key<Scalar>>(wanted + ranks * listed);
    starts = cutter.take<fps_shard_start<Scalar, Dim>>(ranks);
    size = cutter.used();
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

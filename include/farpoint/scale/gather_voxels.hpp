/// @file
/// Gathers the rows of voxelize_shard() on every rank.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/voxelize/gather_layout.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

struct gather_voxels_memory {
  index_t* numbers = nullptr;     ///< `[capacity]`: number of each row, by rank
  unsigned char* rows = nullptr;  ///< `[capacity]`: rows of the part being gathered, by rank; sized for the widest part
  message* outgoing = nullptr;    ///< `[ranks]`
  message* incoming = nullptr;    ///< `[ranks]`
  std::size_t bytes = 0;

  template <class Scalar>
  gather_voxels_memory(unsigned char* workspace, int ranks, voxel_parts<Scalar> const& parts,
                       index_t capacity) noexcept {
    workspace_cutter cutter{workspace};
    numbers = cutter.take<index_t>(capacity);
    rows = cutter.take<unsigned char>(capacity * parts.widest());
    outgoing = cutter.take<message>(ranks);
    incoming = cutter.take<message>(ranks);
    bytes = cutter.used();
  }
};

template <class Scalar>
result check_gather_voxels(voxelize_params<Scalar> const& params, voxelize_shard_output<Scalar> const& own,
                           voxelize_output<Scalar> const& all) noexcept {
  if (result const checked = check_gather_request(params, own, all); !checked) return checked;
  index_t const rows = own.rows.voxel_count.get(0);
  if (rows < 0 || rows > own.rows.capacity || rows > static_cast<index_t>(own.numbers.size())) {
    return reject("gather_voxels: own.numbers is missing, or own is not what voxelize_shard() has filled");
  }
  if (rows == 0) return {};
  return check_gather_parts(voxel_parts<Scalar>{own.rows, all, params.features.count(), params.mode.max_points});
}

/// Exchanges the headers and checks that all ranks have room for all rows. All ranks get the same decision.
template <class Communicator>
result agree_on_rows(Communicator& communicator, result const& own, gather_header const& mine,
                     gather_header* all) noexcept {
  result const agreed = agree_on_arguments(communicator, own, mine, all, gather_differs);
  return agreed ? check_gather_room(all, communicator.ranks()) : agreed;
}

/// One rank's part of a call, after the ranks have agreed on the arguments.
template <class Communicator>
class gather_voxels_task {
 public:
  gather_voxels_task(host_exec exec, Communicator& communicator, gather_header const* headers,
                     gather_voxels_memory const& memory) noexcept
      : exec_{exec}, communicator_{communicator}, headers_{headers}, memory_{memory} {
    for (int r = 0; r < communicator.ranks(); ++r) total_ += headers[r].rows;
  }

  /// Number of rows of all ranks.
  index_t total() const noexcept { return total_; }

  /// Gathers the numbers of all rows. Numbers are distinct, so they have no gap if each is below total(). All ranks
  /// check the same numbers and get the same decision.
  result exchange_numbers(index_t const* own) const noexcept {
    if (result const done = exchange(own, memory_.numbers, sizeof(index_t)); !done) return done;
    for (index_t i = 0; i < total_; ++i) {
      if (memory_.numbers[i] < 0 || memory_.numbers[i] >= total_) {
        return reject("gather_voxels: a rank had no room for its rows, and has dropped some");
      }
    }
    return {};
  }

  /// Gathers one part of all rows and writes each row at the position that its number gives.
  result gather(voxel_part const& part) const noexcept {
    if (part.all == nullptr) return {};
    if (result const done = exchange(part.own, memory_.rows, part.width); !done) return done;
    return for_each_index(
        exec_, total_,
        [this, &part](std::uint64_t i) {
          auto const number = static_cast<std::size_t>(memory_.numbers[i]);
          std::memcpy(static_cast<unsigned char*>(part.all) + number * part.width, memory_.rows + i * part.width,
                      part.width);
        },
        4);
  }

 private:
  /// Sends the same rows of this rank to every rank.
  result exchange(void const* own, void* all, std::size_t width) const noexcept {
    std::size_t begin = 0;
    auto const ranks = static_cast<std::size_t>(communicator_.ranks());
    auto const mine = static_cast<std::size_t>(headers_[communicator_.rank()].rows);
    for (std::size_t r = 0; r < ranks; ++r) {
      auto const size = static_cast<std::size_t>(headers_[r].rows) * width;
      memory_.outgoing[r] = {0, mine * width};
      memory_.incoming[r] = {begin, size};
      begin += size;
    }
    return communicator_.all_to_all({static_cast<unsigned char const*>(own),
                                     {memory_.outgoing, ranks},
                                     static_cast<unsigned char*>(all),
                                     {memory_.incoming, ranks}});
  }

  host_exec exec_;
  Communicator& communicator_;
  gather_header const* headers_;
  gather_voxels_memory const& memory_;
  index_t total_ = 0;
};

}  // namespace detail

/// Bytes of workspace that gather_voxels() needs on a rank, 256-byte aligned. 0 if an argument is refused. Per row of
/// `all.capacity` 8 bytes and one row of the widest part. O(1).
template <class Scalar>
std::size_t gather_voxels_workspace_bytes(int ranks, voxelize_params<Scalar> const& params,
                                          voxelize_shard_output<Scalar> const& own,
                                          voxelize_output<Scalar> const& all) noexcept {
  if (!detail::is_rank_count(ranks) || !detail::check_gather_voxels(params, own, all)) return 0;
  detail::voxel_parts<Scalar> const parts{own.rows, all, params.features.count(), params.mode.max_points};
  return detail::gather_voxels_memory{nullptr, ranks, parts, all.capacity}.bytes;
}

/// Gives every rank the rows of all ranks, each at the position that its number gives: the output of one voxelize()
/// call for the whole cloud.
///
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  the communicator of voxelize_shard()
/// @param params        the parameters of voxelize_shard(); only `mode` and features.count() are read
/// @param own           filled by voxelize_shard(): voxel_count, numbers and the parts to gather
/// @param all           parts to gather, with room for all rows, of the types in `own` on all ranks; voxel_count; the
///                      report of `own` if both are given. Other parts are not written
/// @param workspace     at least gather_voxels_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or:
///         - `bad_argument` on all ranks if the arguments of one are refused, ranks request different parts, or a rank
///           dropped rows for lack of room
///         - `workspace_too_small` on all ranks if one has no room for all rows
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others
///         - `communication_failure`: output may have been written. After other failures none is
///
/// Complexity: O(rows of all ranks x bytes per row) on every rank, so it suits maps that one rank can hold. Two
/// exchanges, and one per part.
template <class Communicator, class Scalar>
result gather_voxels(host_exec exec, Communicator& communicator, voxelize_params<Scalar> const& params,
                     voxelize_shard_output<Scalar> const& own, voxelize_output<Scalar> const& all,
                     bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  int const ranks = communicator.ranks();
  result good = detail::check_threads(exec);
  if (good) good = detail::check_gather_voxels(params, own, all);
  if (good)
    good = detail::check_workspace(workspace, gather_voxels_workspace_bytes(ranks, params, own, all),
                                   FARPOINT_WORKSPACE_OF("gather_voxels"));

  detail::voxel_parts<Scalar> const parts{own.rows, all, params.features.count(), good ? params.mode.max_points : 1};
  index_t const rows = good ? own.rows.voxel_count.get(0) : 0;
  detail::gather_header headers[max_ranks];
  detail::gather_header const mine{digest_of(parts), good ? 0u : 1u, rows, all.capacity, 0};
  result const agreed = detail::agree_on_rows(communicator, good, mine, headers);
  if (!agreed) return detail::or_abort(communicator, agreed);

  detail::gather_voxels_memory const memory{workspace.data(), ranks, parts, all.capacity};
  detail::gather_voxels_task<Communicator> const task{exec, communicator, headers, memory};
  result done = task.exchange_numbers(own.numbers.data());
  for (detail::voxel_part const& part : parts) {
    if (done) done = task.gather(part);
  }
  if (!done) return detail::or_abort(communicator, done);
  if (!all.voxel_count.empty()) all.voxel_count.set(0, task.total());
  if (all.report != nullptr && own.rows.report != nullptr) *all.report = *own.rows.report;
  return {};
}

FARPOINT_END_NAMESPACE

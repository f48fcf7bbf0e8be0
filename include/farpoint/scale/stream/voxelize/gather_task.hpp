/// @file
/// gather_voxels() on any execution. The host waits for a stream once.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/host_side.hpp>
#include <farpoint/scale/stream/voxelize/gather_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The rows of each rank begin at a multiple of this number, and so at a multiple of 16 bytes for rows of any width.
/// NCCL copies a message with another begin byte by byte.
inline constexpr index_t gather_together = 16;

/// Arguments of a call on one rank.
template <class Scalar>
struct gather_voxels_request {
  voxelize_params<Scalar> const& params;
  voxelize_shard_output<Scalar> const& own;
  voxelize_output<Scalar> const& all;

  result check() const noexcept { return check_gather_request(params, own, all); }
  voxel_parts<Scalar> parts() const noexcept {
    return {own.rows, all, params.features.count(), params.mode.max_points};
  }
  /// Calls `visit(arrays...)` with all arrays but the workspace.
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    auto const& rows = own.rows;
    result const done = visit(rows.coords, rows.points_per_voxel, rows.gathered, rows.mean, rows.max, rows.first,
                              rows.centroid, rows.voxel_count, rows.report, own.numbers);
    if (!done) return done;
    return visit(all.coords, all.points_per_voxel, all.gathered, all.mean, all.max, all.first, all.centroid,
                 all.voxel_count, all.report);
  }
};

/// Arrays of a call.
template <class Exec>
struct gather_voxels_plan {
  /// Number of rows of each rank, or invalid_rows or dropped_rows.
  first_counts<Exec, gather_header, index_t, 1> counts;
  host_array<Exec, index_t, shard_max_ranks<Exec>> begins;  ///< slot of each rank's first row
  host_array<Exec, message, 2 * shard_max_ranks<Exec>> messages;
  index_t* numbers;     ///< `[slots]`, by rank; negative where a slot has no row
  unsigned char* rows;  ///< `[slots]`: rows of the part being gathered, by rank; sized for the widest part

  /// @param widest  bytes per row of the widest part
  gather_voxels_plan(workspace_cutter& cutter, int ranks, index_t widest, index_t capacity) noexcept
      : counts{cutter, ranks, 1},
        begins{cutter, ranks},
        messages{cutter, 2 * index_t{ranks}},
        numbers{cutter.take<index_t>(capacity + ranks * gather_together)},
        rows{cutter.take<unsigned char>((capacity + ranks * gather_together) * widest)} {}
};

/// Instead of a rank's number of rows: it is invalid, or a rank has dropped rows.
inline constexpr index_t invalid_rows = -1;
inline constexpr index_t dropped_rows = -2;

/// Finds the number of rows. Runs once.
struct gather_count_step {
  index_span voxel_count;
  voxelize_report const* report;  ///< may be null
  index_t most;                   ///< largest valid number
  index_t* count;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    index_t const rows = voxel_count.get(0);
    *count = rows >= 0 && rows <= most ? rows : invalid_rows;
    if (report != nullptr && report->over_capacity > 0) *count = dropped_rows;
  }
};

/// Copies a word of a row to the position that the row's number gives. Runs for the words of all slots.
template <class Word>
struct gather_place_step {
  index_t const* numbers;
  Word const* rows;
  Word* all;
  std::uint64_t width;  ///< words per row
  index_t total;        ///< rows of all ranks

  /// @tparam Number  32-bit type if all indices fit, because 32-bit division is faster
  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    Number const row = i / static_cast<Number>(width);
    index_t const number = numbers[row];
    if (number < 0 || number >= total) return;
    all[static_cast<std::uint64_t>(number) * width + (i - row * static_cast<Number>(width))] = rows[i];
  }
};

/// Copies a row to the position that its number gives. Runs for all slots. A host thread copies a row at once; a kernel
/// has a thread for each word.
struct gather_row_step {
  index_t const* numbers;
  unsigned char const* rows;
  unsigned char* all;
  std::size_t width;  ///< bytes per row
  index_t total;      ///< rows of all ranks

  void operator()(std::uint64_t row) const noexcept {
    index_t const number = numbers[row];
    if (number < 0 || number >= total) return;
    std::memcpy(all + static_cast<std::size_t>(number) * width, rows + row * width, width);
  }
};

/// Writes the number of rows and the report. Runs once.
struct gather_finish_step {
  index_span voxel_count;
  voxelize_report* report;
  voxelize_report const* own;
  index_t total;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    if (!voxel_count.empty()) voxel_count.set(0, total);
    if (report != nullptr && own != nullptr) *report = *own;
  }
};

/// Call of one rank, after the ranks have agreed on the arguments.
template <class Exec, class Communicator>
class gather_voxels_task {
 public:
  /// @param headers  `[ranks]`
  gather_voxels_task(Exec exec, Communicator& communicator, gather_header const* headers,
                     gather_voxels_plan<Exec>& plan) noexcept
      : exec_{exec}, communicator_{communicator}, headers_{headers}, plan_{plan} {
    for (int r = 0; r < communicator.ranks(); ++r) {
      plan.begins.data()[r] = slots_;
      slots_ += divide_up(headers[r].rows, gather_together) * gather_together;
      total_ += headers[r].rows;
    }
  }

  /// Number of rows of all ranks.
  index_t total() const noexcept { return total_; }

  result exchange_numbers(index_t const* own) noexcept {
    std::size_t const size = static_cast<std::size_t>(slots_) * sizeof *plan_.numbers;
    result const done = shard_backend<Exec>::fill(exec_, plan_.numbers, 0xff, size);
    return done ? exchange(own, plan_.numbers, sizeof *own) : done;
  }

  /// Gathers one part of all rows and writes each row at the position that its number gives.
  result gather(voxel_part const& part) noexcept {
    if (part.all == nullptr) return {};
    if (result const done = exchange(part.own, plan_.rows, part.width); !done) return done;
    if constexpr (std::is_same_v<Exec, host_exec>) {
      gather_row_step const step{plan_.numbers, plan_.rows, static_cast<unsigned char*>(part.all), part.width, total_};
      return for_each_index(exec_, slots_, step, 4);
    } else {
      return part.element == 2 ? place<std::uint16_t>(part) : place<std::uint32_t>(part);
    }
  }

 private:
  template <class Word>
  result place(voxel_part const& part) const noexcept {
    std::size_t const width = part.width / sizeof(Word);
    gather_place_step<Word> const step{plan_.numbers, reinterpret_cast<Word const*>(plan_.rows),
                                       static_cast<Word*>(part.all), width, total_};
    return for_each_index(exec_, slots_ * static_cast<index_t>(width), step, 2);
  }

  /// Sends the same rows of this rank to every rank.
  result exchange(void const* own, void* all, std::size_t width) noexcept {
    auto const ranks = static_cast<std::size_t>(communicator_.ranks());
    auto const mine = static_cast<std::size_t>(headers_[communicator_.rank()].rows);
    message* const outgoing = plan_.messages.data();
    message* const incoming = outgoing + ranks;
    for (std::size_t r = 0; r < ranks; ++r) {
      outgoing[r] = {0, mine * width};
      incoming[r] = {static_cast<std::size_t>(plan_.begins.data()[r]) * width,
                     static_cast<std::size_t>(headers_[r].rows) * width};
    }
    return communicator_.all_to_all({static_cast<unsigned char const*>(own),
                                     {outgoing, ranks},
                                     static_cast<unsigned char*>(all),
                                     {incoming, ranks}});
  }

  Exec exec_;
  Communicator& communicator_;
  gather_header const* headers_;
  gather_voxels_plan<Exec>& plan_;
  index_t slots_ = 0;
  index_t total_ = 0;
};

/// Bytes of workspace; 0 if an argument is refused.
template <class Exec, class Scalar>
std::size_t gather_voxels_bytes(int ranks, gather_voxels_request<Scalar> const& request) noexcept {
  if (ranks < 1 || ranks > shard_max_ranks<Exec> || !request.check()) return 0;
  workspace_cutter cutter;
  static_cast<void>(gather_voxels_plan<Exec>{cutter, ranks, request.parts().widest(), request.all.capacity});
  return cutter.used();
}

/// Checks the numbers of rows, and that every rank has room for all rows. All ranks get the same decision.
/// @param counts   numbers of rows
/// @param headers  `[ranks]`: receives the rows of each rank
template <class Counts>
result check_gathered_rows(Counts const& counts, gather_header* headers, int ranks) noexcept {
  index_t rows = 0;
  index_t room = max_points;
  for (int r = 0; r < ranks; ++r) {
    headers[r].rows = counts(r, 0);
    if (headers[r].rows == dropped_rows) {
      return reject("gather_voxels: a rank had no room for its rows, and has dropped some");
    }
    if (headers[r].rows < 0) {
      return reject("gather_voxels: own.numbers is missing, or own is not what voxelize_shard() has filled");
    }
    if (headers[r].rows > 0 && headers[r].lacks_parts != 0) {
      return reject("gather_voxels: `all` has a part that `own` of a rank with rows has not, or of another type");
    }
    rows += headers[r].rows;
    room = smaller(room, headers[r].capacity);
  }
  return rows > room ? too_small("gather_voxels: a rank has no room for the rows of all") : result{};
}

/// Makes the call.
/// @param good  result of the checks so far
template <class Exec, class Communicator, class Scalar>
result gather_voxels_on(Exec exec, Communicator& communicator, gather_voxels_request<Scalar> const& request,
                        result good, bytes workspace) noexcept {
  int const ranks = communicator.ranks();
  auto const& own = request.own;
  auto const& all = request.all;
  if (good) good = request.check();
  if (good)
    good =
        check_workspace(workspace, gather_voxels_bytes<Exec>(ranks, request), FARPOINT_WORKSPACE_OF("gather_voxels"));
  voxel_parts<Scalar> const parts{own.rows, all, request.params.features.count(),
                                  good ? request.params.mode.max_points : 1};
  workspace_cutter cutter{workspace.data()};
  gather_voxels_plan<Exec> plan{cutter, ranks, parts.widest(), good ? all.capacity : 0};
  if (good) {
    index_t const most = smaller(own.rows.capacity, static_cast<index_t>(own.numbers.size()));
    good = for_each_index(exec, 1, gather_count_step{own.rows.voxel_count, own.rows.report, most, plan.counts.own()});
  }
  gather_header headers[std::size_t{shard_max_ranks<Exec>}];
  gather_header const mine{digest_of(parts), good ? 0u : 1u, 0, all.capacity, check_gather_parts(parts) ? 0u : 1u};
  result done = plan.counts.exchange_headers(exec, communicator, static_cast<bool>(good), mine, headers);
  if (done) done = compare_headers(good, headers, ranks, "gather_voxels: ranks ask for different parts");
  if (done) done = plan.counts.exchange_counts(communicator);
  if (done) done = check_gathered_rows(plan.counts, headers, ranks);
  if (!done) return or_abort(communicator, done);

  gather_voxels_task<Exec, Communicator> task{exec, communicator, headers, plan};
  done = task.exchange_numbers(own.numbers.data());
  for (voxel_part const& part : parts) {
    if (done) done = task.gather(part);
  }
  gather_finish_step const finish{all.voxel_count, all.report, own.rows.report, task.total()};
  return or_abort(communicator, done ? for_each_index(exec, 1, finish) : done);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

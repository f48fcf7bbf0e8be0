/// @file
/// gather_voxels() as loops that a stream can run, with one wait of the host.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/telling.hpp>
#include <farpoint/scale/stream/voxelize/gather_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The rows of each rank begin at a multiple of this number, and so at a multiple of 16 bytes for rows of any width.
/// NCCL copies a message with another begin byte by byte.
inline constexpr index_t gather_together = 16;

/// Tail of each rank's first message: its number of rows, or -1 if that is invalid.
using gather_messages = first_messages<gather_header, sizeof(index_t)>;

struct gather_stream_memory {
  unsigned char* own_message = nullptr;  ///< header and tail of this rank, see first_messages
  unsigned char* all_messages = nullptr;
  index_t* numbers = nullptr;     ///< `[slots]`, by rank; negative where a slot has no row
  unsigned char* rows = nullptr;  ///< `[slots]`: rows of the part being gathered, by rank; sized for the widest part
  std::size_t bytes = 0;

  template <class Scalar>
  gather_stream_memory(unsigned char* workspace, int ranks, voxel_parts<Scalar> const& parts,
                       index_t capacity) noexcept {
    index_t const places = capacity + ranks * gather_together;
    auto const each = static_cast<index_t>(first_message_bytes<gather_header>(sizeof(index_t)));
    workspace_cutter cutter{workspace};
    own_message = cutter.take<unsigned char>(each);
    all_messages = cutter.take<unsigned char>(ranks * each);
    numbers = cutter.take<index_t>(places);
    rows = cutter.take<unsigned char>(places * parts.widest());
    bytes = cutter.used();
  }
};

/// Writes the number of rows into the tail. Runs once.
struct gather_count_step {
  index_span voxel_count;
  index_t most;  ///< largest valid number
  index_t* tail;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    index_t const rows = voxel_count.get(0);
    *tail = rows >= 0 && rows <= most ? rows : -1;
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

/// One rank's part of a call, after the ranks have agreed on the arguments.
template <class Exec, class Communicator>
class gather_stream_task {
 public:
  /// @param headers  `[ranks]`
  gather_stream_task(Exec exec, Communicator& communicator, gather_header const* headers,
                     gather_stream_memory const& memory) noexcept
      : exec_{exec}, communicator_{communicator}, headers_{headers}, memory_{memory} {
    for (int r = 0; r < communicator.ranks(); ++r) {
      begins_[r] = places_;
      places_ += divide_up(headers[r].rows, gather_together) * gather_together;
      total_ += headers[r].rows;
    }
  }

  /// Number of rows of all ranks.
  index_t total() const noexcept { return total_; }

  result exchange_numbers(index_t const* own) noexcept {
    std::size_t const size = static_cast<std::size_t>(places_) * sizeof *memory_.numbers;
    result const done = shard_backend<Exec>::fill(exec_, memory_.numbers, 0xff, size);
    return done ? exchange(own, memory_.numbers, sizeof *own) : done;
  }

  /// Gathers one part of all rows and writes each row at the position that its number gives.
  result gather(voxel_part const& part) noexcept {
    if (part.all == nullptr) return {};
    if (result const done = exchange(part.own, memory_.rows, part.width); !done) return done;
    return part.element == 2 ? place<std::uint16_t>(part) : place<std::uint32_t>(part);
  }

 private:
  template <class Word>
  result place(voxel_part const& part) const noexcept {
    std::size_t const width = part.width / sizeof(Word);
    gather_place_step<Word> const step{memory_.numbers, reinterpret_cast<Word const*>(memory_.rows),
                                       static_cast<Word*>(part.all), width, total_};
    return for_each_index(exec_, places_ * static_cast<index_t>(width), step, 2);
  }

  /// Sends the same rows of this rank to every rank.
  result exchange(void const* own, void* all, std::size_t width) noexcept {
    auto const ranks = static_cast<std::size_t>(communicator_.ranks());
    auto const mine = static_cast<std::size_t>(headers_[communicator_.rank()].rows);
    for (std::size_t r = 0; r < ranks; ++r) {
      outgoing_[r] = {0, mine * width};
      incoming_[r] = {static_cast<std::size_t>(begins_[r]) * width, static_cast<std::size_t>(headers_[r].rows) * width};
    }
    return communicator_.all_to_all({static_cast<unsigned char const*>(own),
                                     {outgoing_, ranks},
                                     static_cast<unsigned char*>(all),
                                     {incoming_, ranks}});
  }

  Exec exec_;
  Communicator& communicator_;
  gather_header const* headers_;
  gather_stream_memory const& memory_;
  index_t begins_[max_stream_ranks] = {};  ///< slot of each rank's first row
  index_t places_ = 0;
  index_t total_ = 0;
  message outgoing_[max_stream_ranks];
  message incoming_[max_stream_ranks];
};

/// Bytes of workspace; 0 if an argument is refused.
template <class Scalar>
std::size_t gather_stream_size(int ranks, voxelize_params<Scalar> const& params,
                               voxelize_shard_output<Scalar> const& own, voxelize_output<Scalar> const& all) noexcept {
  if (ranks < 1 || ranks > max_stream_ranks || !check_gather_request(params, own, all)) return 0;
  voxel_parts<Scalar> const parts{own.rows, all, params.features.count(), params.mode.max_points};
  return gather_stream_memory{nullptr, ranks, parts, all.capacity}.bytes;
}

/// Checks the row counts of all ranks. All ranks get the same decision.
/// @param headers  `[ranks]`: receives the rows of each rank
inline result agree_on_gathered_rows(gather_messages const& messages, gather_header* headers, int ranks) noexcept {
  for (int r = 0; r < ranks; ++r) {
    headers[r].rows = messages.tail<index_t>(r, 0);
    if (headers[r].rows < 0) {
      return reject("gather_voxels: own.numbers is missing, or own is not what voxelize_shard() has filled");
    }
    if (headers[r].rows > 0 && headers[r].lacks_parts != 0) {
      return reject("gather_voxels: `all` has a part that `own` of a rank with rows has not, or of another type");
    }
  }
  return check_gather_room(headers, ranks);
}

/// Makes the call, for all executions.
/// @param good  result of checking the rank's arguments so far
template <class Exec, class Communicator, class Scalar>
result gather_voxels_on(Exec exec, Communicator& communicator, voxelize_params<Scalar> const& params,
                        voxelize_shard_output<Scalar> const& own, voxelize_output<Scalar> const& all, result good,
                        bytes workspace) noexcept {
  int const ranks = communicator.ranks();
  if (good) good = check_gather_request(params, own, all);
  if (good)
    good =
        check_workspace(workspace, gather_stream_size(ranks, params, own, all), FARPOINT_WORKSPACE_OF("gather_voxels"));
  voxel_parts<Scalar> const parts{own.rows, all, params.features.count(), good ? params.mode.max_points : 1};
  gather_stream_memory const memory{workspace.data(), ranks, parts, good ? all.capacity : 0};
  if (good) {
    index_t const most = smaller(own.rows.capacity, static_cast<index_t>(own.numbers.size()));
    auto* const tail = reinterpret_cast<index_t*>(memory.own_message + sizeof(gather_header));
    good = for_each_index(exec, 1, gather_count_step{own.rows.voxel_count, most, tail});
  }
  gather_messages messages{sizeof(index_t)};
  gather_header headers[max_stream_ranks];
  gather_header const mine{digest_of(parts), good ? 0u : 1u, 0, all.capacity, check_gather_parts(parts) ? 0u : 1u};
  stream_telling<Exec, Communicator, gather_messages> telling{exec, communicator, good ? memory.own_message : nullptr,
                                                              memory.all_messages, messages};
  result done = agree_on_arguments(telling, good, mine, headers, gather_differs);
  if (done) done = agree_on_gathered_rows(messages, headers, ranks);
  if (!done) return or_abort(communicator, done);

  gather_stream_task<Exec, Communicator> task{exec, communicator, headers, memory};
  done = task.exchange_numbers(own.numbers.data());
  for (voxel_part const& part : parts) {
    if (done) done = task.gather(part);
  }
  gather_finish_step const finish{all.voxel_count, all.report, own.rows.report, task.total()};
  return or_abort(communicator, done ? for_each_index(exec, 1, finish) : done);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

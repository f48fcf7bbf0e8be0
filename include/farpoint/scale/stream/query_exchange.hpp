/// @file
/// Exchange of queries with the ranks that may have neighbors, for knn_shard() and radius_shard(): loops that a stream
/// can run, with one wait of the host. The first half finds out how many queries travel, the second half sends them.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/host_side.hpp>
#include <farpoint/scale/stream/knn_steps.hpp>
#include <farpoint/scale/stream/shard_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Workspace of the first half: the index of the points with memory to search for the queries, and the choice of
/// queries for other ranks.
/// @tparam Part    shard or indexed_shard
/// @tparam Method  see shard_index
template <class Exec, class Part, class Method>
struct query_exchange_plan {
  workspace_cutter cutter;
  query_choice<typename points_of<Part>::scalar> choice;
  shard_index<Exec, points_of<Part>, Method> index;

  /// The last parameter, the number of neighbors per query, is for plans that derive from this one.
  query_exchange_plan(Exec exec, unsigned char* workspace, int ranks, Part const& part, index_t queries,
                      index_t) noexcept
      : cutter{workspace}, choice{cutter, ranks, queries}, index{exec, cutter, part, queries} {}
};

/// Number of queries that are sent or received, with the gaps between ranks, if there are at most `capacity`.
constexpr index_t with_query_gaps(int ranks, index_t capacity) noexcept {
  return capacity + index_t{ranks} * (static_cast<index_t>(query_group) - 1);
}

/// Largest number of ranks of a search on a stream: the counts of all pairs of ranks must fit on the caller's stack.
inline constexpr int knn_stream_max_ranks = 64;
template <class Exec>
inline constexpr int query_max_ranks = std::is_same_v<Exec, host_exec> ? max_ranks : knn_stream_max_ranks;

/// One rank's part of a call. Tasks derive from it.
/// @tparam Args  a knn_stream_args
template <class Exec, class Communicator, class Index, class Args>
class query_exchange {
 public:
  using scalar = typename Args::scalar;
  using backend = shard_backend<Exec>;

  query_exchange(Exec exec, Communicator& communicator, Index const& index, Args const& args) noexcept
      : exec_{exec}, communicator_{communicator}, index_{index}, args_{args} {}

  /// Larger number of queries that this rank sends or receives.
  index_t exchanged() const noexcept { return exchanged_; }
  Communicator& communicator() const noexcept { return communicator_; }

  /// Cuts the memory of the second half.
  /// @param slots  number of queries sent or received, gaps included
  /// @param each   largest number of neighbors per query
  template <class Memory>
  static void cut_exchange(Exec exec, workspace_cutter& cutter, index_t slots, index_t each, Index& index,
                           Memory& memory) noexcept {
    memory = Memory{cutter, slots, each};
    index.take_searches(exec, cutter, slots);
  }

 protected:
  int ranks() const noexcept { return args_.ranks; }
  /// Larger number of queries sent or received, gaps included.
  index_t slots() const noexcept { return larger(slots_of(sent_), slots_of(received_)); }
  index_t queries() const noexcept { return args_.queries.size(); }

  template <template <class> class Step, class... More>
  result loop(index_t count, index_t work, More const&... more) const noexcept {
    return for_each_index(exec_, count, Step<Args>{args_, more...}, work);
  }

  /// Gathers the bounding boxes and reports of all ranks.
  /// @param report  receives the sum over all ranks; optional
  result exchange_boxes(knn_report* report) noexcept {
    auto const& boxes = args_.choice.boxes;
    result done = loop<knn_describe_step>(1, 1, index_.arrays());
    if (done) done = communicator_.all_gather(boxes + ranks(), boxes, sizeof *boxes);
    if (!done || report == nullptr) return done;
    return loop<knn_add_reports_step>(1, ranks(), report);
  }

  /// Counts the queries for each rank, and gathers the counts of all pairs of ranks.
  /// @param rule     see knn_rule
  /// @param headers  `[ranks]`: room of each rank, so that all ranks get the same decision; null: no limits
  template <class Header, class Rule>
  result choose(Rule const& rule, Header const* headers) noexcept {
    auto const& choice = args_.choice;
    int const row = ranks() + 1;
    result done =
        for_each_index(exec_, queries(), query_count_step<Args, Rule>{args_, rule}, 8 * static_cast<index_t>(ranks()));
    if (done) {
      done =
          communicator_.all_gather(choice.counts, choice.matrix, static_cast<std::size_t>(row) * sizeof *choice.counts);
    }
    host_copy<Exec, std::uint64_t, rank_limit*(rank_limit + 1)> counts;
    if (done) done = counts.read(exec_, communicator_, choice.matrix, ranks() * row);
    if (!done) return done;
    auto const count = [&](int from, int to) {
      return counts
          .data()[static_cast<std::size_t>(from) * static_cast<std::size_t>(row) + static_cast<std::size_t>(to)];
    };
    int const me = communicator_.rank();
    for (int r = 0; r < ranks(); ++r) {
      sent_[r] = static_cast<std::uint32_t>(count(me, r));
      received_[r] = static_cast<std::uint32_t>(count(r, me));
    }
    chosen_ = static_cast<index_t>(count(me, ranks()));
    bool fits = true;
    for (int r = 0; r < ranks(); ++r) {
      if (headers == nullptr && r != me) continue;
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      for (int other = 0; other < ranks(); ++other) {
        sent += count(r, other);
        received += count(other, r);
      }
      auto const most = static_cast<index_t>(larger(sent, received));
      if (r == me) exchanged_ = most;
      fits = fits && (headers == nullptr || most <= headers[r].received_capacity);
    }
    return fits ? result{} : too_small("shards: a rank exchanges more queries than its exchanged_capacity");
  }

  /// Lists the queries for each rank, and sends them.
  template <class Rule>
  result send_queries(Rule const& rule) noexcept {
    result done = loop<query_places_step>(1, ranks());
    if (done) {
      done =
          for_each_index(exec_, chosen_, query_list_step<Args, Rule>{args_, rule}, 8 * static_cast<index_t>(ranks()));
    }
    // Gaps are queries that are not finite.
    auto const& m = args_.memory;
    if (done)
      done = backend::fill(exec_, m.received, 0xff, static_cast<std::size_t>(slots_of(received_)) * sizeof *m.received);
    if (done) done = send(sent_, received_, m.sent, m.received, sizeof *m.sent);
    return done;
  }

  /// Sends `each` bytes per received query back.
  result send_back(void const* found, void* answers, std::size_t each) noexcept {
    return send(received_, sent_, found, answers, each);
  }
  result send_rows() noexcept {
    auto const& m = args_.memory;
    auto const row = static_cast<std::size_t>(args_.k);
    result const done = send_back(m.found, m.answers, row * sizeof *m.found);
    return done ? send_back(m.found_distances, m.answer_distances, row * sizeof *m.found_distances) : done;
  }

  /// Queries of other ranks, once they have been exchanged, and gaps.
  point_view<scalar> received_queries() const noexcept {
    return sent_query<scalar>::view(args_.memory.received, slots_of(received_));
  }

  /// Calls `merge(answers, begin)` for the answers of each rank. The answers of one rank are for distinct queries.
  template <class Merge>
  result for_each_answer(Merge const& merge) noexcept {
    result done;
    std::uint64_t begin = 0;
    for (int from = 0; from < ranks() && done; ++from) {
      done = merge(index_t{sent_[from]}, static_cast<index_t>(begin));
      begin += in_query_groups(sent_[from]);
    }
    return done;
  }

  Exec exec_;
  Communicator& communicator_;
  Index index_;
  Args args_;

 private:
  static constexpr int rank_limit = query_max_ranks<Exec>;

  index_t slots_of(std::uint32_t const* counts) const noexcept {
    std::uint64_t sum = 0;
    for (int r = 0; r < ranks(); ++r) sum += in_query_groups(counts[r]);
    return static_cast<index_t>(sum);
  }
  /// Sends `each` bytes per query.
  result send(std::uint32_t const* out, std::uint32_t const* in, void const* from, void* to,
              std::size_t each) noexcept {
    message outgoing[std::size_t{rank_limit}];
    message incoming[std::size_t{rank_limit}];
    std::size_t out_begin = 0;
    std::size_t in_begin = 0;
    for (int r = 0; r < ranks(); ++r) {
      outgoing[r] = {out_begin * each, out[r] * each};
      incoming[r] = {in_begin * each, in[r] * each};
      out_begin += in_query_groups(out[r]);
      in_begin += in_query_groups(in[r]);
    }
    auto const size = static_cast<std::size_t>(ranks());
    return communicator_.all_to_all(
        {static_cast<unsigned char const*>(from), {outgoing, size}, static_cast<unsigned char*>(to), {incoming, size}});
  }

  std::uint32_t sent_[std::size_t{rank_limit}];      ///< number of queries for each rank
  std::uint32_t received_[std::size_t{rank_limit}];  ///< number of queries from each rank
  index_t chosen_ = 0;
  index_t exchanged_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

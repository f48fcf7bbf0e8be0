/// @file
/// Exchange of queries with the ranks that may have neighbors, for knn_shard() and radius_shard(): loops that a stream
/// can run, with one wait of the host.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/knn_steps.hpp>
#include <farpoint/scale/stream/shard_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Workspace of a rank: buffers of the exchange, and the index of the points.
/// @tparam Method  see shard_index
template <class Exec, class Points, class Method>
struct query_exchange_plan {
  workspace_cutter cutter;
  knn_stream_memory<typename Points::scalar> exchange;
  shard_index<Exec, Points, Method> index;

  /// @param queries   number of the rank's queries
  /// @param each      largest number of neighbors per query
  /// @param capacity  number of queries that can be exchanged
  query_exchange_plan(Exec exec, unsigned char* workspace, int ranks, Points const& points, index_t queries,
                      index_t each, index_t capacity) noexcept
      : cutter{workspace},
        exchange{cutter, ranks, capacity, each},
        index{exec, cutter, points, larger(queries, capacity)} {}
};

/// Largest number of ranks of a call: the counts of all pairs of ranks must fit on the caller's stack.
inline constexpr int knn_stream_most_ranks = 64;

/// Exchanges of one rank's part of a call before answers come back. Tasks derive from it.
/// @tparam Args  a knn_stream_args
template <class Exec, class Communicator, class Args>
class query_exchange {
 public:
  using scalar = typename Args::scalar;
  using backend = shard_backend<Exec>;

  query_exchange(Exec exec, Communicator& communicator, Args const& args) noexcept
      : exec_{exec}, communicator_{communicator}, args_{args} {}

 protected:
  int ranks() const noexcept { return args_.ranks; }
  shard_messages messages() noexcept {
    return {message_room_, message_room_ + knn_stream_most_ranks, message_room_ + 2 * knn_stream_most_ranks};
  }

  template <template <class> class Step, class... More>
  result loop(index_t count, index_t work, More const&... more) const noexcept {
    return for_each_index(exec_, count, Step<Args>{args_, more...}, work);
  }

  /// Gathers the bounding boxes and reports of all ranks.
  /// @param index   BVH of the rank's points, built
  /// @param report  receives the sum over all ranks; optional
  template <class Index>
  result exchange_boxes(Index const& index, knn_report* report) noexcept {
    result done = loop<knn_describe_step>(1, 1, index.arrays());
    if (done) done = communicator_.all_gather(memory().boxes + ranks(), memory().boxes, sizeof *memory().boxes);
    if (!done || report == nullptr) return done;
    return loop<knn_add_reports_step>(1, ranks(), report);
  }

  /// Counts the queries for each rank, and lists the first args.capacity queries of all.
  /// @param choose  `choose(to)` calls send_query() for the queries that go to rank `to`
  template <class Choose>
  result choose_ranks(Choose const& choose) noexcept {
    result done;
    for (int to = 0; to < ranks() && done; ++to) {
      done = loop<knn_begin_step>(1, 1, to);
      if (done && to != communicator_.rank()) done = choose(to);
    }
    return done;
  }

  /// Gathers the counts of all pairs of ranks and lays out the exchange. All ranks get the same decision.
  template <class Header>
  result exchange_counts(Header const* headers, index_t* exchanged) noexcept {
    constexpr std::size_t most = knn_stream_most_ranks;
    std::uint64_t begins[most * (most + 1)];
    auto const size = static_cast<std::size_t>(ranks());
    std::size_t const row = size + 1;
    result done = communicator_.all_gather(memory().begins, memory().matrix, row * sizeof *begins);
    if (done) done = backend::read(exec_, communicator_, begins, memory().matrix, size * row * sizeof *begins);
    if (!done) return done;
    auto const count = [&](int from, int to) -> std::size_t {
      std::uint64_t const* const begin = begins + static_cast<std::size_t>(from) * row + to;
      return begin[1] - begin[0];
    };
    result const fits =
        lay_out_knn_exchange(communicator_.rank(), span<Header const>{headers, size}, count, messages(), exchanged);
    received_ = messages().received(ranks());
    return fits;
  }

  /// Queries of other ranks, once they have been exchanged.
  point_view<scalar> received_queries() const noexcept {
    return sent_query<scalar>::view(memory().received, received_);
  }

  /// Calls `merge(answers, begin)` for the answers of each rank. The answers of one rank are for distinct queries.
  template <class Merge>
  result for_each_answer(Merge const& merge) noexcept {
    result done;
    for (int from = 0; from < ranks() && done; ++from) {
      message const answers = messages().outgoing[from];
      done = merge(static_cast<index_t>(answers.size), static_cast<index_t>(answers.begin));
    }
    return done;
  }

  Exec exec_;
  Communicator& communicator_;
  Args args_;

 private:
  auto const& memory() const noexcept { return args_.memory; }

  message message_room_[4 * knn_stream_most_ranks];
  index_t received_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

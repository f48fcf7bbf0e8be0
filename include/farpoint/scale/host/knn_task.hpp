/// @file
/// The steps of knn_shard() on the host.
#pragma once

#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/scale/shard_agreement.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of knn_shard(): the rows of the rank's queries.
template <class Scalar = float>
struct knn_shard_output {
  span<index_t> indices = {};      ///< `[queries, k]`: indices into the whole cloud, as in knn_output
  span<Scalar> distances = {};     ///< `[queries, k]`: squared distances (m^2), as in knn_output; not optional
  index_t exchanged_capacity = 0;  ///< room for queries sent, and again for queries received
  index_t* exchanged = nullptr;    ///< larger count of queries sent or received, even if above capacity; optional
  knn_report* report = nullptr;    ///< sums over all ranks, the same on every rank; optional
  /// For along_curve if some rank's queries are not its points: number of queries that this rank owns, even if above
  /// along_curve::owned_queries. Host memory; optional.
  index_t* owned_queries = nullptr;
};

namespace FARPOINT_HIDDEN detail {

/// Message of each rank about its points.
template <class Scalar>
struct knn_shard_box {
  bounding_box<Scalar> box;  ///< around the finite points
  knn_report report;
};

/// True if the row of a query may need points inside a box.
/// @param limit2  largest squared distance that the row can take
template <class Scalar>
FARPOINT_HD bool may_have_neighbours(bounding_box<Scalar> const& box, vec<Scalar> const& query,
                                     Scalar limit2) noexcept {
  return box.low[0] <= box.high[0] && box.distance2(query) <= limit2;
}

/// Order of a list: by distance, then by index.
struct nearest_first {
  template <class Scalar>
  FARPOINT_HD bool operator()(Scalar distance, index_t index, Scalar other_distance,
                              index_t other_index) const noexcept {
    return distance < other_distance || (distance == other_distance && index < other_index);
  }
};

/// Merges a second list of k neighbors into a query's row. Both lists are sorted; index -1 marks unused entries at the
/// end.
/// @param comes_first  `comes_first(distance, index, other_distance, other_index)`: true if the first precedes the
///                     second
template <class Index, class Scalar, class Order = nearest_first>
FARPOINT_HD void merge_neighbours(Index* indices, Scalar* distances, Index const* others, Scalar const* other_distances,
                                  index_t k, Order const& comes_first = {}) noexcept {
  // Unused entries, with index -1, follow all neighbors.
  auto const is_other = [&](index_t own, index_t other) {
    if (others[other] < 0) return false;
    return indices[own] < 0 || comes_first(other_distances[other], others[other], distances[own], indices[own]);
  };
  index_t other = 0;
  // Invariant: among the first j merged neighbors, `other` come from the second list.
  for (index_t j = 0; j < k; ++j) other += is_other(j - other, other) ? 1 : 0;
  // Merging from the end overwrites only neighbors that have been moved or are not among the k best.
  index_t own = k - other;
  for (index_t j = k; j-- > 0 && other > 0;) {
    bool const takes_own = own > 0 && is_other(own - 1, other - 1);
    index_t const from = takes_own ? --own : --other;
    indices[j] = takes_own ? indices[from] : others[from];
    distances[j] = takes_own ? distances[from] : other_distances[from];
  }
}

/// A query as sent to another rank.
template <class Scalar>
struct sent_query {
  vec<Scalar> at;
  Scalar limit2;  ///< squared distance of the k-th neighbor found so far: farther points are not needed

  /// Positions of `count` queries.
  static point_view<Scalar> view(sent_query const* queries, index_t count) noexcept {
    return {reinterpret_cast<Scalar const*>(queries), count, index_t{sizeof(sent_query)}};
  }
  /// Limits of the queries.
  static query_limits<Scalar> limits(sent_query const* queries) noexcept {
    return {&queries->limit2, index_t{sizeof(sent_query) / sizeof(Scalar)}};
  }
};

/// Buffers for exchanging up to `m` queries of `k` neighbors.
/// @tparam Index  type of a neighbor's index
template <class Scalar, class Index = index_t>
struct knn_exchange_memory {
  sent_query<Scalar>* sent;      ///< `[m]`, by rank
  std::uint32_t* sent_row;       ///< `[m]`: row of each sent query
  Index* answers;                ///< `[m, k]`: answers to `sent`, by rank
  Scalar* answer_distances;      ///< `[m, k]`
  sent_query<Scalar>* received;  ///< `[m]`
  Index* found;                  ///< `[m, k]`: neighbors of the received queries
  Scalar* found_distances;       ///< `[m, k]`

  knn_exchange_memory(workspace_cutter& cutter, index_t m, index_t k) noexcept
      : sent{cutter.take<sent_query<Scalar>>(m)},
        sent_row{cutter.take<std::uint32_t>(m)},
        answers{cutter.take<Index>(m * k)},
        answer_distances{cutter.take<Scalar>(m * k)},
        received{cutter.take<sent_query<Scalar>>(m)},
        found{cutter.take<Index>(m * k)},
        found_distances{cutter.take<Scalar>(m * k)} {}

  template <class Communicator>
  result send_queries(Communicator& communicator, shard_messages const& messages) const noexcept {
    return messages.send(communicator, sent, received, sizeof *sent);
  }
  template <class Communicator>
  result send_answers(Communicator& communicator, shard_messages const& messages, index_t k) const noexcept {
    auto const row = static_cast<std::size_t>(k);
    result const done = messages.send_back(communicator, found, answers, row * sizeof *found);
    if (!done) return done;
    return messages.send_back(communicator, found_distances, answer_distances, row * sizeof *found_distances);
  }
};

/// Lays out the exchange of queries, and checks that all ranks have room. All ranks get the same decision.
/// @param headers  `[ranks]`
/// @param count    `count(from, to)`: number of queries from one rank to another
/// @param most     receives the larger count of queries that this rank sends or receives; optional
template <class Header, class Count>
result lay_out_knn_exchange(int me, span<Header const> headers, Count const& count, shard_messages const& messages,
                            index_t* most) noexcept {
  bool fits = true;
  auto const ranks = static_cast<int>(headers.size());
  for (int r = 0; r < ranks; ++r) {
    std::size_t sent = 0;
    std::size_t received = 0;
    for (int other = 0; other < ranks; ++other) {
      if (r == me) {
        messages.outgoing[other] = {sent, count(me, other)};
        messages.incoming[other] = {received, count(other, me)};
      }
      sent += count(r, other);
      received += count(other, r);
    }
    std::size_t const larger_number = larger(sent, received);
    fits = fits && larger_number <= static_cast<std::size_t>(headers[static_cast<std::size_t>(r)].received_capacity);
    if (r == me && most != nullptr) *most = static_cast<index_t>(larger_number);
  }
  return fits ? result{} : too_small("shards: a rank exchanges more queries than its exchanged_capacity");
}

/// Arrays of a call that can exchange up to `m` queries.
template <class Scalar>
struct knn_shard_memory : knn_exchange_memory<Scalar> {
  knn_shard_box<Scalar>* boxes = nullptr;  ///< `[ranks]`
  std::uint64_t* matrix = nullptr;         ///< `[ranks, ranks]`: number of queries from rank to rank
  std::uint64_t* counts = nullptr;         ///< `[ranks]`: number of this rank's queries for each rank
  shard_messages messages = {};            ///< counted in queries
  std::size_t front = 0;                   ///< bytes before the workspace of knn()

  knn_shard_memory(workspace_cutter cutter, int ranks, index_t m, index_t k) noexcept
      : knn_exchange_memory<Scalar>{cutter, m, k} {
    boxes = cutter.take<knn_shard_box<Scalar>>(ranks);
    matrix = cutter.take<std::uint64_t>(index_t{ranks} * ranks);
    counts = cutter.take<std::uint64_t>(ranks);
    messages = {cutter.take<message>(ranks), cutter.take<message>(ranks), cutter.take<message>(2 * index_t{ranks})};
    front = workspace_aligned(cutter.used());
  }
};

/// One rank's part of a call, after the ranks have agreed on the arguments.
///
/// A rank first answers its queries from its own points. Each query then goes to the ranks whose box is no farther away
/// than the query's k-th neighbor: no other rank can have a point of the row. The answers come back and are merged.
template <class Communicator, class Points, class Queries>
class knn_shard_task {
 public:
  using scalar = typename Points::scalar;
  using output_type = knn_shard_output<scalar>;

  knn_shard_task(host_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 exact const& method, index_t k, bytes workspace, index_t capacity) noexcept
      : exec_{exec},
        communicator_{communicator},
        part_{part},
        queries_{queries},
        method_{method},
        k_{k},
        memory_{workspace_cutter{workspace.data()}, communicator.ranks(), capacity, k},
        workspace_{workspace.subspan(memory_.front)} {}

  result run(output_type const& output, shard_header const* headers) noexcept {
    result done = answer_at_home(output);
    if (done) done = exchange_boxes(output.report);
    if (!done) return done;
    choose_ranks(output, headers[communicator_.rank()].received_capacity);
    done = exchange_counts(output, headers);
    if (done) done = memory_.send_queries(communicator_, memory_.messages);
    if (done) done = answer_others();
    if (done) done = memory_.send_answers(communicator_, memory_.messages, k_);
    return done ? merge(output) : done;
  }

 private:
  int ranks() const noexcept { return communicator_.ranks(); }

  /// Turns indices into the rank's points into indices into the whole cloud.
  result to_global(index_t* indices, index_t count) const noexcept {
    index_t const first = part_.first_index;
    return for_each_index(exec_, count, [=](std::uint64_t i) { indices[i] += indices[i] < 0 ? 0 : first; });
  }

  result answer_at_home(output_type const& output) noexcept {
    knn_output<scalar> rows;
    rows.indices = output.indices;
    rows.distances = output.distances;
    rows.report = &own_.report;
    result const done =
        knn(exec_, batch<Points>{part_.points}, batch<Queries>{queries_}, method_, k_, rows, workspace_);
    return done ? to_global(output.indices.data(), queries_.size() * k_) : done;
  }

  result exchange_boxes(knn_report* report) noexcept {
    own_.box = bounding_box<scalar>::empty();
    for (index_t i = 0; i < part_.points.size(); ++i) {
      auto const point = part_.points[i];
      if (is_finite(point)) own_.box.grow(point);
    }
    result const done = communicator_.all_gather(&own_, memory_.boxes, sizeof own_);
    if (!done || report == nullptr) return done;
    *report = {};
    for (int r = 0; r < ranks(); ++r) {
      report->non_finite_points += memory_.boxes[r].report.non_finite_points;
      report->non_finite_queries += memory_.boxes[r].report.non_finite_queries;
    }
    return {};
  }

  bool may_have(int rank, vec<scalar> const& query, index_t const* indices, scalar const* distances) const noexcept {
    if (rank == communicator_.rank()) return false;
    scalar const last = indices[k_ - 1] < 0 ? infinity<scalar> : distances[k_ - 1];
    return may_have_neighbours(memory_.boxes[rank].box, query,
                               smaller(squared_radius<scalar>(method_.max_radius), last));
  }

  /// Counts the queries for each rank, and lists the first `capacity` of all.
  void choose_ranks(output_type const& output, index_t capacity) noexcept {
    std::uint64_t sent = 0;
    for (int to = 0; to < ranks(); ++to) {
      std::uint64_t const begin = sent;
      for (index_t i = 0; i < queries_.size(); ++i) {
        auto const query = queries_[i];
        if (!is_finite(query)) continue;
        vec<scalar> const at{{query[0], query[1], query[2]}};
        if (!may_have(to, at, output.indices.data() + i * k_, output.distances.data() + i * k_)) continue;
        if (sent < static_cast<std::uint64_t>(capacity)) {
          memory_.sent[sent] = {at, infinity<scalar>};
          memory_.sent_row[sent] = static_cast<std::uint32_t>(i);
        }
        ++sent;
      }
      memory_.counts[to] = sent - begin;
    }
  }

  /// Gathers the counts of all pairs of ranks and lays out the exchange. All ranks get the same decision.
  result exchange_counts(output_type const& output, shard_header const* headers) noexcept {
    auto const size = static_cast<std::size_t>(ranks());
    result const done = communicator_.all_gather(memory_.counts, memory_.matrix, size * sizeof(std::uint64_t));
    if (!done) return done;
    auto const count = [&](int from, int to) {
      return static_cast<std::size_t>(
          memory_.matrix[static_cast<std::size_t>(from) * size + static_cast<std::size_t>(to)]);
    };
    result const fits = lay_out_knn_exchange(communicator_.rank(), span<shard_header const>{headers, size}, count,
                                             memory_.messages, output.exchanged);
    received_ = memory_.messages.received(ranks());
    return fits;
  }

  /// Answers received queries. None is a point of this rank, so exclude_self is off.
  result answer_others() noexcept {
    auto const size = static_cast<std::size_t>(received_ * k_);
    exact method = method_;
    method.exclude_self = false;
    knn_output<scalar> rows;
    rows.indices = span<index_t>{memory_.found, size};
    rows.distances = {memory_.found_distances, size};
    auto const queries = sent_query<scalar>::view(memory_.received, received_);
    result const done =
        knn(exec_, batch<Points>{part_.points}, batch<point_view<scalar>>{queries}, method, k_, rows, workspace_);
    return done ? to_global(memory_.found, received_ * k_) : done;
  }

  /// Merges the answers. The answers of one rank are for distinct rows, so they can be merged in parallel.
  result merge(output_type const& output) noexcept {
    for (int from = 0; from < ranks(); ++from) {
      message const part = memory_.messages.outgoing[from];
      auto const one = [this, &output, part](std::uint64_t i) {
        merge_row(output, static_cast<index_t>(part.begin + i));
      };
      if (result const done = for_each_index(exec_, static_cast<index_t>(part.size), one, k_); !done) return done;
    }
    return {};
  }

  void merge_row(output_type const& output, index_t answer) const noexcept {
    index_t const row = index_t{memory_.sent_row[answer]} * k_;
    index_t* const indices = output.indices.data() + row;
    scalar* const distances = output.distances.data() + row;
    index_t const* const others = memory_.answers + answer * k_;
    scalar const* const other_distances = memory_.answer_distances + answer * k_;
    merge_neighbours(indices, distances, others, other_distances, k_);
  }

  host_exec exec_;
  Communicator& communicator_;
  shard<Points> const& part_;
  Queries const& queries_;
  exact const& method_;
  index_t k_;
  knn_shard_memory<scalar> memory_;
  bytes workspace_;
  knn_shard_box<scalar> own_ = {};
  index_t received_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

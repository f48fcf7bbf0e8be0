/// @file
/// knn_shard() as loops and searches that a stream can run, with two waits of the host.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/scale/knn_shard_check.hpp>
#include <farpoint/scale/stream/knn_steps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The most ranks of a call: the counts of all pairs are looked at on the caller's stack.
inline constexpr int knn_stream_most_ranks = 64;

/// Where a search writes.
template <class Scalar>
struct knn_stream_rows {
  knn_output<Scalar> rows;
  index_t k;
  index_t first_index;  ///< added to the indices of neighbours
};

/// Searches among the rank's points. Specialisations have a constructor that cuts memory for points and at most so many
/// queries, build(), and search(), whose neighbours' indices count from that of the rank's first point.
template <class Exec, class Points>
class knn_stream_index;

template <class Points>
class knn_stream_index<host_exec, Points> {
 public:
  using scalar = typename Points::scalar;

  knn_stream_index(host_exec exec, workspace_cutter& cutter, Points const& points, index_t queries) noexcept
      : points_{points} {
    std::size_t bound = 0;
    static_cast<void>(knn_workspace_bound<Points>(exec, search_limits{points.size(), 1, queries}, bound));
    memory_ = cutter.take_workspace(bound);
  }

  result build(host_exec) noexcept { return {}; }
  template <class Queries>
  result search(host_exec exec, Queries const& queries, exact const& method,
                knn_stream_rows<scalar> const& to) const noexcept {
    batch<Points> const points{points_};
    result const done = is_same_view(points_, queries)
                            ? knn(exec, points, method, to.k, to.rows, memory_)
                            : knn(exec, points, batch<Queries>{queries}, method, to.k, to.rows, memory_);
    if (!done || to.first_index == 0) return done;
    return for_each_index(exec, queries.size() * to.k, [to](std::uint64_t i) {
      auto const at = static_cast<index_t>(i);
      index_t const own = to.rows.indices.get(at);
      if (own >= 0) to.rows.indices.set(at, own + to.first_index);
    });
  }

 private:
  Points points_;
  bytes memory_;
};

/// The workspace of a rank, and its size.
template <class Exec, class Points>
struct knn_stream_plan {
  workspace_cutter cutter;
  knn_stream_memory<Exec, typename Points::scalar> memory;
  knn_stream_index<Exec, Points> index;

  knn_stream_plan(Exec exec, unsigned char* workspace, int ranks, Points const& points, index_t queries, index_t k,
                  index_t capacity) noexcept
      : cutter{workspace},
        memory{cutter, ranks, queries, capacity, k},
        index{exec, cutter, points, larger(queries, capacity)} {}
};

/// One rank's part of a call, after ranks have agreed on the arguments: the steps of knn_shard_task.
/// @tparam Index  a knn_stream_index, or what has its members
/// @tparam Args   a knn_stream_args
template <class Exec, class Communicator, class Index, class Args>
class knn_stream_task {
 public:
  using scalar = typename Args::scalar;
  using output_type = knn_shard_output<scalar>;
  using backend = shard_backend<Exec>;

  /// @param output  what is written beside the rows, which are those of `args`
  knn_stream_task(Exec exec, Communicator& communicator, exact const& method, output_type const& output,
                  Index const& index, Args const& args) noexcept
      : exec_{exec}, communicator_{communicator}, method_{method}, output_{output}, index_{index}, args_{args} {}

  /// @param headers  `[ranks]`: of all
  template <class Header>
  result run(Header const* headers) noexcept {
    result done = answer_at_home();
    if (done) done = exchange_boxes();
    if (done) done = choose_ranks();
    if (done) done = exchange_counts(headers);
    if (done) done = memory().send_queries(communicator_, messages());
    if (done) done = answer_others();
    if (done) done = memory().send_answers(communicator_, messages(), args_.k);
    for (int from = 0; from < ranks() && done; ++from) {
      message const answers = messages().outgoing[from];
      done = loop<knn_merge_step>(static_cast<index_t>(answers.size), args_.k, static_cast<index_t>(answers.begin));
    }
    return done;
  }

 private:
  int ranks() const noexcept { return args_.ranks; }
  auto const& memory() const noexcept { return args_.memory; }
  index_t queries() const noexcept { return args_.queries.size(); }
  index_t first_index() const noexcept { return args_.part.first_index; }
  shard_messages messages() noexcept {
    return {message_room_, message_room_ + knn_stream_most_ranks, message_room_ + 2 * knn_stream_most_ranks};
  }

  template <template <class> class Step, class... More>
  result loop(index_t count, index_t work, More const&... more) const noexcept {
    return for_each_index(exec_, count, Step<Args>{args_, more...}, work);
  }
  result answer_at_home() noexcept {
    auto rows = rows_of(args_.indices, args_.distances, queries());
    rows.report = memory().report;
    result done = index_.build(exec_);
    if (done) done = backend::fill(exec_, memory().report, 0, sizeof *memory().report);
    if (done && queries() > 0) done = index_.search(exec_, args_.queries, method_, {rows, args_.k, first_index()});
    return done;
  }

  result exchange_boxes() noexcept {
    result done = backend::fill(exec_, memory().extent, 0xff, sizeof *memory().extent);
    if (done) done = backend::fill(exec_, memory().non_finite, 0, sizeof *memory().non_finite);
    auto const& points = args_.part.points;
    extent_step<typename Args::points_type> const step{points, memory().extent, memory().non_finite};
    if (done) done = for_each_index(exec_, smaller(points.size(), extent_strides), step, 64);
    if (done) done = loop<knn_describe_step>(1, 1);
    if (done) done = communicator_.all_gather(memory().boxes + ranks(), memory().boxes, sizeof *memory().boxes);
    if (!done || output_.report == nullptr) return done;
    return loop<knn_add_reports_step>(1, ranks(), output_.report);
  }

  /// Counts the queries for each rank, and lists as many as there is room for.
  result choose_ranks() noexcept {
    result done;
    auto const all = static_cast<std::size_t>(queries() + 1) * sizeof *memory().places;
    for (int to = 0; to < ranks() && done; ++to) {
      if (to == communicator_.rank() || queries() == 0) {
        done = backend::fill(exec_, memory().places, 0, all);
      } else {
        done = loop<knn_choose_step>(queries(), 8, to);
        if (done) done = memory().scan.run(exec_, memory().places);
      }
      if (done) done = loop<knn_send_step>(queries() + 1, 4, to);
    }
    return done;
  }

  /// Tells all ranks how many queries go from where to where. They come to the same decision.
  template <class Header>
  result exchange_counts(Header const* headers) noexcept {
    constexpr std::size_t most = knn_stream_most_ranks;
    std::uint64_t begins[most * (most + 1)];
    auto const size = static_cast<std::size_t>(ranks());
    std::size_t const row = size + 1;
    result done = communicator_.all_gather(memory().begins, memory().matrix, row * sizeof *begins);
    if (done) done = backend::read(exec_, communicator_, begins, memory().matrix, size * row * sizeof *begins);
    if (!done) return done;
    auto const count = [&](int from, int to) {
      std::uint64_t const* const begin = begins + static_cast<std::size_t>(from) * row + to;
      return static_cast<std::size_t>(begin[1] - begin[0]);
    };
    result const fits = lay_out_knn_exchange(communicator_.rank(), span<Header const>{headers, size}, count, messages(),
                                             output_.exchanged);
    received_ = messages().received(ranks());
    return fits;
  }

  /// Neighbours of others' queries, none of which is a point of this rank.
  result answer_others() noexcept {
    if (received_ == 0) return {};
    exact method = method_;
    method.exclude_self = false;
    auto const rows = rows_of(memory().found, memory().found_distances, received_);
    point_view<scalar> const asked{reinterpret_cast<scalar const*>(memory().received), received_,
                                   index_t{sizeof(vec<scalar>)}};
    return index_.search(exec_, asked, method, {rows, args_.k, first_index()});
  }

  knn_output<scalar> rows_of(typename Args::index* indices, scalar* distances, index_t count) const noexcept {
    auto const size = static_cast<std::size_t>(count * args_.k);
    knn_output<scalar> rows;
    rows.indices = span<typename Args::index>{indices, size};
    rows.distances = {distances, size};
    return rows;
  }

  Exec exec_;
  Communicator& communicator_;
  exact const& method_;
  output_type const& output_;
  Index index_;
  Args args_;
  message message_room_[4 * knn_stream_most_ranks];
  index_t received_ = 0;
};

/// The call, for all executions.
template <class Exec, class Communicator, class Points, class Queries>
result knn_shard_on(Exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                    exact const& method, index_t k, knn_shard_output<typename Points::scalar> const& output, result own,
                    bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  int const ranks = communicator.ranks();
  if (own) own = check_knn_shard(part, queries, method, k, output);
  bool const fits = static_cast<bool>(own);
  knn_stream_plan<Exec, Points> const plan{exec,
                                           workspace.data(),
                                           ranks,
                                           fits ? part.points : Points{},
                                           fits ? queries.size() : 0,
                                           fits ? k : 1,
                                           fits ? output.exchanged_capacity : 0};
  if (own) own = check_workspace(workspace, plan.cutter.used());
  shard_header const mine{digest_of<scalar>(method, k), own ? 0u : 1u, part.first_index, part.points.size(),
                          output.exchanged_capacity};
  shard_parties<knn_stream_most_ranks> all;
  if (result const agreed = all.agree(exec, communicator, own, mine, workspace); !agreed) return agreed;
  using args_type = knn_stream_args<Exec, Points, Queries>;
  args_type const args{part,
                       queries,
                       k,
                       squared_radius<scalar>(method.max_radius),
                       output.exchanged_capacity,
                       ranks,
                       output.indices.data(),
                       output.distances.data(),
                       plan.memory};
  return knn_stream_task<Exec, Communicator, knn_stream_index<Exec, Points>, args_type>{exec,   communicator, method,
                                                                                        output, plan.index,   args}
      .run(all.headers);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

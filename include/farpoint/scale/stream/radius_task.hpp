/// @file
/// radius_shard() as loops and searches, for host threads and for a stream, with two waits of the host.
#pragma once

#include <farpoint/scale/stream/query_exchange.hpp>
#include <farpoint/scale/stream/radius_steps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Workspace of a rank, and its size.
template <class Exec, class Points>
struct radius_stream_plan : query_exchange_plan<Exec, Points, radius_params> {
  radius_stream_memory memory;

  /// @param capacity  number of queries that can be exchanged
  template <class Queries>
  radius_stream_plan(Exec exec, unsigned char* workspace, int ranks,
                     radius_shard_request<Points, Queries> const& request, index_t capacity) noexcept
      : query_exchange_plan<Exec, Points, radius_params>{exec,
                                                         workspace,
                                                         ranks,
                                                         request.part.points,
                                                         request.queries.size(),
                                                         request.max,
                                                         capacity},
        memory{this->cutter, ranks, capacity, request.max} {}
};

/// One rank's part of a call, after the ranks have agreed on the arguments.
///
/// A rank first answers its queries from its own points. Each query then goes to the ranks whose box is within the
/// radius, unless its row is full and no point of the rank can displace one. Each rank answers with its first `max`
/// neighbors, so the first `max` of all ranks are among the answers, which are merged into the row.
template <class Exec, class Communicator, class Points, class Queries>
class radius_stream_task : query_exchange<Exec, Communicator, knn_stream_args<Points, Queries>> {
  using base = query_exchange<Exec, Communicator, knn_stream_args<Points, Queries>>;

 public:
  using scalar = typename Points::scalar;
  using request_type = radius_shard_request<Points, Queries>;
  using output_type = radius_shard_output<scalar>;
  using plan_type = radius_stream_plan<Exec, Points>;
  using rows_type = query_rows<radius_output<scalar>>;
  using backend = shard_backend<Exec>;

  radius_stream_task(Exec exec, Communicator& communicator, request_type const& request, output_type const& output,
                     plan_type const& plan) noexcept
      : base{exec,
             communicator,
             {request.part, request.queries, request.max, largest_distance2<scalar>(request.params),
              output.exchanged_capacity, communicator.ranks(), output.indices.data(), output.distances.data(),
              plan.exchange}},
        params_{request.params},
        output_{output},
        index_{plan.index},
        extra_{request.params.order, output.counts.data(), plan.memory} {}

  result run(shard_header const* headers) noexcept {
    result done = answer_at_home();
    if (done) done = this->exchange_boxes(index_, nullptr);
    if (done) {
      done = this->choose_ranks([this, headers](int to) {
        return this->template loop<radius_choose_step>(this->args_.queries.size(), 8, extra_, to,
                                                       headers[to].first_index);
      });
    }
    if (done) done = this->exchange_counts(headers, output_.exchanged);
    if (done) done = exchange().send_queries(this->communicator_, this->messages());
    if (done) done = answer_others();
    if (done) done = send_answers();
    if (done) {
      done = this->for_each_answer([this](index_t answers, index_t begin) {
        return this->template loop<radius_merge_step>(answers, larger(max(), index_t{1}), extra_, begin);
      });
    }
    return done ? exchange_reports() : done;
  }

 private:
  auto const& exchange() const noexcept { return this->args_.memory; }
  index_t max() const noexcept { return this->args_.k; }
  index_t first_index() const noexcept { return this->args_.part.first_index; }

  result answer_at_home() noexcept {
    radius_report* const own = extra_.memory.reports + this->ranks();
    radius_output<scalar> rows;
    rows.indices = output_.indices;
    rows.distances = output_.distances;
    rows.counts = output_.counts;
    rows.report = own;
    result done = index_.build(this->exec_);
    if (done) done = backend::fill(this->exec_, own, 0, sizeof *own);
    // exchange().report stays zero: unlike knn_shard(), the report is exchanged with the totals at the end.
    if (done) done = backend::fill(this->exec_, exchange().report, 0, sizeof *exchange().report);
    if (!done || this->args_.queries.size() == 0) return done;
    return index_.search(this->exec_, this->args_.queries, params_, rows_type{rows, max(), first_index()});
  }

  /// Answers received queries. None is a point of this rank, so exclude_self is off.
  result answer_others() noexcept {
    auto const asked = this->received_queries();
    if (asked.size() == 0) return {};
    auto const size = static_cast<std::size_t>(asked.size() * max());
    radius_params params = params_;
    params.exclude_self = false;
    radius_output<scalar> rows;
    rows.indices = span<index_t>{exchange().found, size};
    rows.distances = {exchange().found_distances, size};
    if (max() == 0) rows.counts = span<index_t>{extra_.memory.found_counts, static_cast<std::size_t>(asked.size())};
    return index_.search(this->exec_, asked, params, rows_type{rows, max(), first_index()});
  }

  result send_answers() noexcept {
    if (max() > 0) return exchange().send_answers(this->communicator_, this->messages(), max());
    return this->messages().send_back(this->communicator_, extra_.memory.found_counts, extra_.memory.answer_counts,
                                      sizeof(index_t));
  }

  /// Gathers the reports of all ranks at the end, when the number of neighbors is known.
  result exchange_reports() noexcept {
    auto const& memory = extra_.memory;
    result done = backend::fill(this->exec_, memory.total, 0, sizeof *memory.total);
    if (done) {
      index_t const strides = smaller(this->args_.queries.size(), extent_strides);
      done = this->template loop<radius_total_step>(strides, 64, extra_);
    }
    if (done) done = this->template loop<radius_describe_step>(1, 1, extra_);
    if (done) {
      done = this->communicator_.all_gather(memory.reports + this->ranks(), memory.reports, sizeof *memory.reports);
    }
    if (!done || output_.report == nullptr) return done;
    return this->template loop<radius_add_reports_step>(1, this->ranks(), extra_, output_.report);
  }

  radius_params params_;
  output_type const& output_;
  shard_index<Exec, Points, radius_params> index_;
  radius_stream_extra extra_;
};

/// Makes the call, for all executions.
/// @param own  result of checking the rank's arguments so far
template <class Exec, class Communicator, class Points, class Queries>
result radius_shard_on(Exec exec, Communicator& communicator, radius_shard_request<Points, Queries> const& request,
                       radius_shard_output<typename Points::scalar> const& output, result own,
                       bytes workspace) noexcept {
  using request_type = radius_shard_request<Points, Queries>;
  if (own) own = check_radius_shard(request, output);
  bool const fits = static_cast<bool>(own);
  radius_stream_plan<Exec, Points> const plan{exec, workspace.data(), communicator.ranks(),
                                              fits ? request : request_type{}, fits ? output.exchanged_capacity : 0};
  if (own) own = check_workspace(workspace, plan.cutter.used(), FARPOINT_WORKSPACE_OF("radius_shard"));
  shard_header const mine{request.digest_of_parameters(), own ? 0u : 1u, request.part.first_index,
                          request.part.points.size(), output.exchanged_capacity};
  shard_parties<knn_stream_most_ranks> all;
  result const agreed = all.agree(exec, communicator, own, mine, workspace);
  if (!agreed) return or_abort(communicator, agreed);
  radius_stream_task<Exec, Communicator, Points, Queries> task{exec, communicator, request, output, plan};
  return or_abort(communicator, task.run(all.headers));
}

/// Bytes of workspace of the call, for all executions; 0 if an argument is refused.
template <class Exec, class Points, class Queries>
std::size_t radius_shard_bytes(Exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                               radius_params const& params, index_t max,
                               radius_shard_output<typename Points::scalar> const& output) noexcept {
  radius_shard_request<Points, Queries> const request{part, queries, params, max};
  if (ranks < 1 || ranks > knn_stream_most_ranks || !check_radius_shard(request, output)) return 0;
  return radius_stream_plan<Exec, Points>{exec, nullptr, ranks, request, output.exchanged_capacity}.cutter.used();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

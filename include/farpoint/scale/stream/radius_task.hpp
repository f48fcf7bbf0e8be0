/// @file
/// radius_shard() as loops and searches, for host threads and for a stream, with two waits of the host.
#pragma once

#include <farpoint/scale/stream/radius_steps.hpp>
#include <farpoint/scale/stream/search_call.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Workspace of the first half.
template <class Exec, class Part>
struct radius_stream_plan : query_exchange_plan<Exec, Part, radius_params> {
  radius_stream_memory memory;

  radius_stream_plan(Exec exec, unsigned char* workspace, int ranks, Part const& part, index_t queries,
                     index_t max) noexcept
      : query_exchange_plan<Exec, Part, radius_params>{exec, workspace, ranks, part, queries, max},
        memory{this->cutter, ranks} {}
};

/// One rank's part of a call, after the ranks have agreed on the arguments; see search_call.
///
/// A rank first answers its queries from its own points. Each query then goes to the ranks whose box is within the
/// radius, unless its row is full and no point of the rank can displace one. Each rank answers with its first
/// max_neighbors, so the first of all ranks are among the answers, which are merged into the row.
template <class Exec, class Communicator, class Part, class Queries>
class radius_shard_task : public query_exchange<Exec, Communicator, shard_index<Exec, points_of<Part>, radius_params>,
                                                shard_args<Part, Queries>> {
  using base =
      query_exchange<Exec, Communicator, shard_index<Exec, points_of<Part>, radius_params>, shard_args<Part, Queries>>;

 public:
  using scalar = typename base::scalar;
  using request_type = radius_shard_request<Part, Queries>;
  using plan_type = radius_stream_plan<Exec, Part>;
  using memory_type = radius_exchange_memory<scalar>;
  using rows_type = query_rows<radius_output<scalar>>;
  using backend = shard_backend<Exec>;

  radius_shard_task(Exec exec, Communicator& communicator, request_type const& request, plan_type const& plan) noexcept
      : base{exec,
             communicator,
             plan.index,
             {request.part(), request.queries, request.each(), largest_distance2<scalar>(request.params),
              communicator.ranks(), communicator.rank(), request.output.indices.data(), request.output.distances.data(),
              plan.choice, reach_of(request.source)}},
        params_{request.params},
        output_{request.output},
        extra_{request.params.order, request.output.counts.data(), plan.memory} {
    this->args_.names = names_of(request.source).data();
  }

  /// First half: answers queries from the rank's own points, and counts those for other ranks.
  /// @param headers  `[ranks]`: room of each rank; null: no limits
  result plan(shard_header const* headers) noexcept {
    result done = answer_at_home();
    if (done) done = this->exchange_boxes(nullptr);
    return done ? this->choose(rule(), headers) : done;
  }

  /// Cuts the memory of the second half.
  void cut(workspace_cutter& cutter) noexcept {
    memory_type memory;
    base::cut_exchange(this->exec_, cutter, this->slots(), max(), this->index_, memory);
    this->args_.memory = memory;
    extra_.found_counts = memory.found_counts;
    extra_.answer_counts = memory.answer_counts;
  }

  /// Second half.
  result finish() noexcept {
    result done = this->send_queries(rule());
    if (done) done = answer_others();
    if (done && max() > 0) done = this->send_rows();
    if (done && max() == 0) done = this->send_back(extra_.found_counts, extra_.answer_counts, sizeof(index_t));
    if (done) {
      done = this->for_each_answer([this](index_t answers, index_t begin) {
        return this->template loop<radius_merge_step>(answers, larger(max(), index_t{1}), extra_, begin);
      });
    }
    return done ? exchange_reports() : done;
  }

 private:
  index_t max() const noexcept { return this->args_.k; }
  index_t first_index() const noexcept { return this->args_.part.first_index; }
  radius_rule rule() const noexcept { return {extra_.order, extra_.counts}; }

  result answer_at_home() noexcept {
    radius_report* const own = extra_.memory.reports + this->ranks();
    auto* const unused = this->args_.choice.report;
    radius_output<scalar> rows;
    rows.indices = output_.indices;
    rows.distances = output_.distances;
    rows.counts = output_.counts;
    rows.report = own;
    result done = this->index_.build(this->exec_);
    if (done) done = backend::fill(this->exec_, own, 0, sizeof *own);
    // Unlike knn_shard(), the report is exchanged with the totals at the end.
    if (done) done = backend::fill(this->exec_, unused, 0, sizeof *unused);
    if (!done || this->queries() == 0) return done;
    return this->index_.search(this->exec_, this->args_.queries, params_, rows_type{rows, max(), first_index()});
  }

  /// Answers received queries. None is a point of this rank, so exclude_self is off.
  result answer_others() noexcept {
    auto const asked = this->received_queries();
    if (asked.size() == 0) return {};
    auto const& memory = this->args_.memory;
    auto const size = static_cast<std::size_t>(asked.size() * max());
    radius_params params = params_;
    params.exclude_self = false;
    radius_output<scalar> rows;
    rows.indices = span<index_t>{memory.found, size};
    rows.distances = {memory.found_distances, size};
    if (max() == 0) rows.counts = span<index_t>{extra_.found_counts, static_cast<std::size_t>(asked.size())};
    return this->index_.search(this->exec_, asked, params, rows_type{rows, max(), first_index()});
  }

  /// Gathers the reports of all ranks at the end, when the number of neighbors is known.
  result exchange_reports() noexcept {
    auto const& memory = extra_.memory;
    result done = backend::fill(this->exec_, memory.total, 0, sizeof *memory.total);
    if (done) {
      index_t const strides = smaller(this->queries(), extent_strides);
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
  radius_shard_output<scalar> output_;
  radius_stream_extra extra_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

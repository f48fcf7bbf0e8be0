/// @file
/// knn_shard() as loops and searches, for host threads and for a stream, with two waits of the host.
#pragma once

#include <farpoint/scale/stream/knn_shard_check.hpp>
#include <farpoint/scale/stream/search_call.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One rank's part of a call, after the ranks have agreed on the arguments.
///
/// A rank first answers its queries from its own points. Each query then goes to the ranks whose box is no farther away
/// than the query's k-th neighbor: no other rank can have a point of the row. The answers come back and are merged.
/// @tparam Index  shard_index, or a type with its members
/// @tparam Args   knn_stream_args; has the rows to write
template <class Exec, class Communicator, class Index, class Args>
class knn_stream_task : public query_exchange<Exec, Communicator, Index, Args> {
  using base = query_exchange<Exec, Communicator, Index, Args>;

 public:
  using scalar = typename Args::scalar;
  using memory_type = knn_exchange_memory<scalar, typename Args::index>;  ///< memory of the second half
  using rows_type = query_rows<knn_output<scalar>>;
  using backend = shard_backend<Exec>;

  /// @param report  receives the sum of the reports of all ranks; optional
  knn_stream_task(Exec exec, Communicator& communicator, knn_params const& params, knn_report* report,
                  Index const& index, Args const& args) noexcept
      : base{exec, communicator, index, args}, params_{params}, report_{report} {}

  /// First half: answers queries from the rank's own points, and counts those for other ranks.
  /// @param headers  `[ranks]`: room of each rank; null: no limits
  template <class Header>
  result plan(Header const* headers) noexcept {
    result done = answer_at_home();
    if (done) done = this->exchange_boxes(report_);
    return done ? this->choose(knn_rule{}, headers) : done;
  }

  /// Cuts the memory of the second half.
  void cut(workspace_cutter& cutter) noexcept {
    base::cut_exchange(this->exec_, cutter, this->slots(), k(), this->index_, this->args_.memory);
  }

  /// Second half.
  result finish() noexcept {
    result done = this->send_queries(knn_rule{});
    if (done) done = answer_others();
    if (done) done = this->send_rows();
    if (!done) return done;
    return this->for_each_answer(
        [this](index_t answers, index_t begin) { return this->template loop<knn_merge_step>(answers, k(), begin); });
  }

 private:
  index_t k() const noexcept { return this->args_.k; }
  index_t first_index() const noexcept { return this->args_.part.first_index; }

  result answer_at_home() noexcept {
    auto* const report = this->args_.choice.report;
    auto rows = rows_of(this->args_.indices, this->args_.distances, this->queries());
    rows.report = report;
    result done = this->index_.build(this->exec_);
    if (done) done = backend::fill(this->exec_, report, 0, sizeof *report);
    if (!done || this->queries() == 0) return done;
    return this->index_.search(this->exec_, this->args_.queries, params_, rows_type{rows, k(), first_index()});
  }

  /// Answers received queries. None is a point of this rank, so exclude_self is off.
  result answer_others() noexcept {
    auto const& memory = this->args_.memory;
    auto const asked = this->received_queries();
    if (asked.size() == 0) return {};
    knn_params params = params_;
    params.exclude_self = false;
    auto const rows = rows_of(memory.found, memory.found_distances, asked.size());
    auto const limits = sent_query<scalar>::limits(memory.received);
    return this->index_.search(this->exec_, asked, params, rows_type{rows, k(), first_index(), limits});
  }

  knn_output<scalar> rows_of(typename Args::index* indices, scalar* distances, index_t count) const noexcept {
    auto const size = static_cast<std::size_t>(count * k());
    knn_output<scalar> rows;
    rows.indices = span<typename Args::index>{indices, size};
    rows.distances = {distances, size};
    return rows;
  }

  knn_params params_;
  knn_report* report_;
};

/// Arguments of a call.
/// @tparam Part  shard or indexed_shard
template <class Part, class Queries>
struct knn_shard_request {
  using part_type = Part;
  using points_type = points_of<Part>;
  using scalar = typename points_type::scalar;
  static constexpr char const* too_small = FARPOINT_WORKSPACE_OF("knn_shard");

  Part const& source;
  Queries const& queries;
  knn_params const& params;
  knn_shard_output<scalar> const& output;

  shard<points_type> const& part() const noexcept { return part_of(source); }
  index_t each() const noexcept { return params.k; }
  result check() const noexcept {
    result const checked = check_knn_shard(part(), queries, params, output);
    return checked ? check_built(source) : checked;
  }
  std::uint64_t digest_of_parameters() const noexcept { return digest_of<scalar>(params); }
  /// Calls `visit(arrays...)` with all arrays but the workspace.
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    return visit(batch<points_type>{part().points}, names_of(source), batch<Queries>{queries}, output.indices,
                 output.distances, output.report);
  }
};

/// knn_stream_task among the points of a rank, see search_call.
template <class Exec, class Communicator, class Part, class Queries>
class knn_shard_task : public knn_stream_task<Exec, Communicator, shard_index<Exec, points_of<Part>, knn_params>,
                                              shard_args<Part, Queries>> {
  using base =
      knn_stream_task<Exec, Communicator, shard_index<Exec, points_of<Part>, knn_params>, shard_args<Part, Queries>>;

 public:
  using request_type = knn_shard_request<Part, Queries>;
  using plan_type = query_exchange_plan<Exec, Part, knn_params>;

  knn_shard_task(Exec exec, Communicator& communicator, request_type const& request, plan_type const& plan) noexcept
      : base{exec,
             communicator,
             request.params,
             request.output.report,
             plan.index,
             {request.part(), request.queries, request.each(),
              squared_radius<typename base::scalar>(request.params.max_radius), communicator.ranks(),
              communicator.rank(), request.output.indices.data(), request.output.distances.data(), plan.choice,
              reach_of(request.source)}} {
    this->args_.names = names_of(request.source).data();
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

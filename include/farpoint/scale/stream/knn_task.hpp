/// @file
/// knn_shard() as loops and searches that a stream can run, with two waits of the host.
#pragma once

#include <farpoint/scale/knn_shard_check.hpp>
#include <farpoint/scale/stream/query_exchange.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Exec, class Points>
using knn_stream_plan = query_exchange_plan<Exec, Points, exact>;

/// One rank's part of a call, after the ranks have agreed on the arguments: the steps of knn_shard_task.
/// @tparam Index  shard_index, or a type with its members
/// @tparam Args   knn_stream_args; has the rows to write
template <class Exec, class Communicator, class Index, class Args>
class knn_stream_task : query_exchange<Exec, Communicator, Args> {
  using base = query_exchange<Exec, Communicator, Args>;

 public:
  using scalar = typename Args::scalar;
  using output_type = knn_shard_output<scalar>;
  using rows_type = query_rows<knn_output<scalar>>;
  using backend = shard_backend<Exec>;

  /// @param output  output other than the rows
  knn_stream_task(Exec exec, Communicator& communicator, exact const& method, output_type const& output,
                  Index const& index, Args const& args) noexcept
      : base{exec, communicator, args}, method_{method}, output_{output}, index_{index} {}

  /// @param headers  `[ranks]`
  template <class Header>
  result run(Header const* headers) noexcept {
    result done = answer_at_home();
    if (done) done = this->exchange_boxes(index_, output_.report);
    if (done) {
      done = this->choose_ranks([this](int to) { return this->template loop<knn_choose_step>(queries(), 8, to); });
    }
    if (done) done = this->exchange_counts(headers, output_.exchanged);
    if (done) done = memory().send_queries(this->communicator_, this->messages());
    if (done) done = answer_others();
    if (done) done = memory().send_answers(this->communicator_, this->messages(), k());
    if (!done) return done;
    return this->for_each_answer(
        [this](index_t answers, index_t begin) { return this->template loop<knn_merge_step>(answers, k(), begin); });
  }

 private:
  auto const& memory() const noexcept { return this->args_.memory; }
  index_t k() const noexcept { return this->args_.k; }
  index_t queries() const noexcept { return this->args_.queries.size(); }
  index_t first_index() const noexcept { return this->args_.part.first_index; }

  result answer_at_home() noexcept {
    auto rows = rows_of(this->args_.indices, this->args_.distances, queries());
    rows.report = memory().report;
    result done = index_.build(this->exec_);
    if (done) done = backend::fill(this->exec_, memory().report, 0, sizeof *memory().report);
    if (!done || queries() == 0) return done;
    return index_.search(this->exec_, this->args_.queries, method_, rows_type{rows, k(), first_index()});
  }

  /// Answers received queries. None is a point of this rank, so exclude_self is off.
  result answer_others() noexcept {
    auto const asked = this->received_queries();
    if (asked.size() == 0) return {};
    exact method = method_;
    method.exclude_self = false;
    auto const rows = rows_of(memory().found, memory().found_distances, asked.size());
    auto const limits = sent_query<scalar>::limits(memory().received);
    return index_.search(this->exec_, asked, method, rows_type{rows, k(), first_index(), limits});
  }

  knn_output<scalar> rows_of(typename Args::index* indices, scalar* distances, index_t count) const noexcept {
    auto const size = static_cast<std::size_t>(count * k());
    knn_output<scalar> rows;
    rows.indices = span<typename Args::index>{indices, size};
    rows.distances = {distances, size};
    return rows;
  }

  exact const& method_;
  output_type const& output_;
  Index index_;
};

/// Makes the call, for all executions.
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
  if (own) own = check_workspace(workspace, plan.cutter.used(), FARPOINT_WORKSPACE_OF("knn_shard"));
  shard_header const mine{digest_of<scalar>(method, k), own ? 0u : 1u, part.first_index, part.points.size(),
                          output.exchanged_capacity};
  shard_parties<knn_stream_most_ranks> all;
  result const agreed = all.agree(exec, communicator, own, mine, workspace);
  if (!agreed) return or_abort(communicator, agreed);
  using args_type = knn_stream_args<Points, Queries>;
  args_type const args{part,
                       queries,
                       k,
                       squared_radius<scalar>(method.max_radius),
                       output.exchanged_capacity,
                       ranks,
                       output.indices.data(),
                       output.distances.data(),
                       plan.exchange};
  using task_type = knn_stream_task<Exec, Communicator, shard_index<Exec, Points, exact>, args_type>;
  return or_abort(communicator, task_type{exec, communicator, method, output, plan.index, args}.run(all.headers));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

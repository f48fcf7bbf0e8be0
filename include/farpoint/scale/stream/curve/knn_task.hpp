/// @file
/// knn_shard() along a curve: loops, sorts and searches that a stream can run, with three waits of the host.
#pragma once

#include <farpoint/scale/stream/curve/knn_steps.hpp>
#include <farpoint/scale/stream/curve/reach.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Workspace of a rank.
template <class Exec, class Scalar, class Index>
struct knn_curve_plan {
  workspace_cutter cutter;
  knn_curve_memory<Exec, Scalar, Index> memory;
  workspace_cutter front;  ///< ends where the memory of the search begins

  knn_curve_plan(unsigned char* workspace, knn_curve_sizes const& sizes) noexcept
      : cutter{workspace}, memory{cutter, sizes}, front{cutter} {}

  /// Bytes of the whole workspace.
  std::size_t size(Exec exec, knn_curve_sizes const& sizes) noexcept {
    index_t const rows = sizes.rows();
    query_choice<Scalar> const choice{cutter, sizes.ranks, rows};
    knn_owner_index<Exec, Scalar> index{exec, cutter, {}, sizes.owned_points, rows};
    index_t const slots = with_query_gaps(sizes.ranks, sizes.exchanged);
    knn_exchange_memory<Scalar, Index> const exchange{cutter, slots, sizes.k};
    index.take_searches(exec, cutter, slots);
    return cutter.used();
  }
};

/// One rank's part of a call, after the ranks have agreed on the arguments: a repartition of points and queries, a
/// search by knn_stream_task among the owned points, and the way back.
///
/// An owner receives points in the order of the whole cloud: ranks in the order of their parts, and each rank's points
/// in their order. Ties between neighbors are therefore decided as in one call for the whole cloud.
template <class Exec, class Communicator, class Points, class Queries, class Index>
class knn_curve_task {
 public:
  using scalar = typename Points::scalar;
  using view = point_view<scalar>;
  using output_type = knn_shard_output<scalar>;
  using backend = shard_backend<Exec>;
  using plan_type = knn_curve_plan<Exec, scalar, Index>;

  /// Arguments of the call.
  struct call {
    shard<Points> const& part;
    Queries const& queries;
    knn_params const& params;
    output_type const& output;
    knn_curve_sizes sizes;
    index_t* owned;  ///< receives the number of owned queries, even if above capacity; optional
  };

  knn_curve_task(Exec exec, Communicator& communicator, call const& what, bytes workspace) noexcept
      : exec_{exec},
        communicator_{communicator},
        call_{what},
        plan_{workspace.data(), what.sizes},
        owners_{exec, communicator, plan_.memory.owners} {}

  /// @param headers  `[ranks]`
  /// @param sources  `[ranks]`: ranks in the order of their points
  result run(knn_curve_header const* headers, int const* sources) noexcept {
    is_self_ = std::all_of(headers, headers + ranks(), [](auto const& header) { return header.is_self != 0; });
    index_t const excluded = call_.params.exclude_self ? call_.part.points.size() : 0;
    curve_counts counts;
    result done = owners_.choose(call_.part.points, call_.queries, is_self_, excluded, counts);
    if (done) done = number_places(headers, sources);
    if (!done) return done;
    int const me = communicator_.rank();
    curve_route points = counts.route(0, me, sources);
    curve_route queries = is_self_ ? points : counts.route(1, me, sources);
    done = check_room(headers, counts);
    if (done) done = move(points, queries);
    if (done) done = answer(headers, points, queries);
    return done ? give_back(queries) : done;
  }

 private:
  int ranks() const noexcept { return call_.sizes.ranks; }
  auto const& memory() const noexcept { return plan_.memory; }
  /// The points if they are the queries, otherwise the queries.
  curve_by_owner<Exec> const& asking() const noexcept {
    return is_self_ ? memory().owners.points : memory().owners.queries;
  }
  index_t asking_count() const noexcept { return call_.queries.size(); }

  /// Computes the positions of each rank's points: they follow the points of the previous rank in the order of the
  /// parts.
  result number_places(knn_curve_header const* headers, int const* sources) noexcept {
    curve_source all[curve_max_ranks];
    index_t begin = 0;
    for (int k = 0; k < ranks(); ++k) {
      shard_header const& part = headers[sources[k]];
      if (sources[k] == communicator_.rank()) first_place_ = begin;
      // An empty part has the same `begin` as the part after it. Searches take the last entry with this `begin`.
      all[k] = {begin, part.first_index - begin};
      begin += part.points;
    }
    // If all parts have one shift, a single entry serves all positions, without a search.
    source_count_ = ranks();
    bool one_shift = true;
    index_t shift = 0;
    bool is_known = false;
    for (int k = 0; k < ranks(); ++k) {
      if (headers[sources[k]].points == 0) continue;
      one_shift = one_shift && (!is_known || all[k].shift == shift);
      shift = all[k].shift;
      is_known = true;
    }
    if (one_shift) all[0] = {0, shift};
    if (one_shift) source_count_ = 1;
    return backend::write(exec_, communicator_, memory().sources, all,
                          static_cast<std::size_t>(source_count_) * sizeof *all);
  }

  /// Checks that every rank has room for what it will own. All ranks get the same decision.
  result check_room(knn_curve_header const* headers, curve_counts const& counts) const noexcept {
    bool fits = true;
    for (int to = 0; to < ranks(); ++to) {
      // The room for points has been checked before. This check guards against wrong borders.
      fits = fits && counts.owned(0, to) <= headers[to].owned_points;
      if (is_self_) continue;
      index_t const queries = counts.owned(1, to);
      fits = fits && queries <= headers[to].owned_queries;
      if (to == communicator_.rank() && call_.owned != nullptr) *call_.owned = queries;
    }
    return fits ? result{} : too_small("knn_shard: a rank owns more queries than its owned_queries");
  }

  result move(curve_route& points, curve_route& queries) noexcept {
    index_t const n = call_.part.points.size();
    auto const& m = memory();
    auto const first = static_cast<Index>(first_place_);
    curve_pack_step<Points, Index> const point{
        call_.part.points, m.owners.points.order(ranks()), nullptr, nullptr, first, n};
    result const done = owners_.mover().send(points, point, {m.sent, m.sent_names, m.owned, m.names, true});
    if (!done || is_self_) return done;
    curve_pack_step<Queries, Index> const query{
        call_.queries, m.owners.queries.order(ranks()), nullptr, nullptr, first, n};
    bool const excludes = call_.params.exclude_self;
    result const sent =
        owners_.mover().send(queries, query, {m.sent, m.sent_names, m.asked, m.excluded_names, excludes});
    if (!sent || !excludes) return sent;
    return for_each_index(exec_, queries.received(),
                          knn_excluded_step<Index>{m.excluded_names, m.names, points.received(), m.excluded}, 8);
  }

  /// Answers the queries that this rank owns, in the order of their arrival.
  result answer(knn_curve_header const* headers, curve_route const& points, curve_route const& queries) noexcept {
    auto const& m = memory();
    index_t const owned = points.received();
    index_t const asked = queries.received();
    workspace_cutter cutter = plan_.front;
    query_choice<scalar> const choice{cutter, ranks(), call_.sizes.rows()};
    view const all{reinterpret_cast<scalar const*>(m.owned), owned, index_t{sizeof(vec<scalar>)}};
    view const ask{reinterpret_cast<scalar const*>(m.asked), asked, index_t{sizeof(vec<scalar>)}};
    span<Index const> const names{m.names, static_cast<std::size_t>(owned)};
    knn_owner_index<Exec, scalar> const index{
        exec_, cutter, {all, names, is_self_ ? nullptr : m.excluded}, owned, asked};
    using args_type = knn_stream_args<view, view, Index, curve_reach<scalar>>;
    curve_borders const borders = owners_.borders();
    args_type const args{{all, 0},      is_self_ ? all : ask,
                         call_.sizes.k, squared_radius<scalar>(call_.params.max_radius),
                         ranks(),       communicator_.rank(),
                         m.rows,        m.distances,
                         choice,        {m.owners.curve.frame, borders.keys, borders.count}};
    knn_stream_task<Exec, Communicator, knn_owner_index<Exec, scalar>, args_type> search{
        exec_, communicator_, call_.params, nullptr, index, args};
    result const done = search.plan(headers);
    if (call_.output.exchanged != nullptr) *call_.output.exchanged = search.exchanged();
    if (!done) return done;
    search.cut(cutter);
    return search.finish();
  }

  /// Sends rows back to the ranks of their queries. Rows of queries that were not sent, because not finite, are
  /// emptied.
  result give_back(curve_route& route) const noexcept {
    auto const& m = memory();
    auto const k = static_cast<std::size_t>(call_.sizes.k);
    shard_messages const messages = route.messages();
    result done = messages.send_back(communicator_, m.rows, m.answers, k * sizeof *m.rows);
    if (done) done = messages.send_back(communicator_, m.distances, m.answer_distances, k * sizeof *m.distances);
    if (done) {
      done = route.for_each_part([&](index_t begin, index_t end, index_t kept_at) {
        index_t const moved = (kept_at - begin) * call_.sizes.k;
        return kept_at < 0 ? give(begin, end, m.answers, m.answer_distances)
                           : give(begin, end, m.rows + moved, m.distances + moved);
      });
    }
    index_t const left = asking_count() - route.sent();
    knn_leave_step<scalar> const leave{asking().order(ranks()) + route.sent(), call_.sizes.k,
                                       call_.output.indices.data(), call_.output.distances.data()};
    if (done) done = for_each_index(exec_, left * call_.sizes.k, leave, 2);
    if (!done || call_.output.report == nullptr) return done;
    return for_each_index(
        exec_, 1, knn_curve_report_step<scalar>{m.owners.curve.summaries, ranks(), call_.output.report}, ranks());
  }
  /// Writes the rows of sent queries [begin, end).
  result give(index_t begin, index_t end, Index const* places, scalar const* distances) const noexcept {
    index_t const k = call_.sizes.k;
    knn_give_step<scalar, Index> const step{
        places + begin * k, distances + begin * k, asking().order(ranks()) + begin, k,
        memory().sources,   source_count_,         call_.output.indices.data(),     call_.output.distances.data()};
    return for_each_index(exec_, (end - begin) * k, step, 2);
  }

  Exec exec_;
  Communicator& communicator_;
  call call_;
  plan_type plan_;
  curve_repartition<Exec, Communicator, scalar> owners_;
  bool is_self_ = true;
  index_t first_place_ = 0;
  int source_count_ = 1;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// A search of knn_shard() whose rows go to a consumer, with values of the neighbors from their ranks.
#pragma once

#include <farpoint/scale/stream/consumers.hpp>
#include <farpoint/scale/stream/knn_task.hpp>
#include <farpoint/scale/stream/row_values.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of a call.
/// @tparam Part      shard or indexed_shard
/// @tparam Consumer  see consumers.hpp
template <class Part, class Queries, class Consumer>
struct consumer_request {
  using part_type = Part;
  using points_type = points_of<Part>;
  using scalar = typename points_type::scalar;
  static constexpr char const* too_small = Consumer::too_small;

  Part const& source;
  Queries const& queries;
  Consumer consumer;

  consumer_request(Part const& part, Queries const& asked, Consumer const& takes) noexcept
      : source{part}, queries{asked}, consumer{takes} {}

  shard<points_type> const& part() const noexcept { return part_of(source); }
  index_t each() const noexcept { return consumer.params().k; }
  result check() const noexcept {
    static_assert(std::is_same_v<scalar, typename Queries::scalar>,
                  "farpoint: points and queries must both be double, or neither");
    if (result const checked = check_bvh_points(batch<points_type>{part().points}); !checked) return checked;
    if (result const checked = check_queries(batch<Queries>{queries}, 1); !checked) return checked;
    if (queries.size() > shard_max_points) return reject("queries: a rank has more than 2^30");
    if (result const checked = consumer.check(part().points.size(), queries.size()); !checked) return checked;
    index_t const first = part().first_index;
    if (first < 0 || first > index_t{1} << 62) return reject("shard: first_index is negative, or above 2^62");
    return check_built(source);
  }
  std::uint64_t digest_of_parameters() const noexcept {
    digest all;
    all.add(digest_of<scalar>(consumer.params()));
    consumer.add_to(all);
    return all.word();
  }
  /// Calls `visit(arrays...)` with all arrays but the workspace.
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    result const done = visit(batch<points_type>{part().points}, names_of(source), batch<Queries>{queries});
    return done ? consumer.visit_arrays(visit) : done;
  }
};

/// Workspace of the first half, with the rows.
template <class Exec, class Part>
struct consumer_plan : query_exchange_plan<Exec, Part, knn_params> {
  index_t* indices;                             ///< `[queries, k]`
  typename points_of<Part>::scalar* distances;  ///< `[queries, k]`

  consumer_plan(Exec exec, unsigned char* workspace, int ranks, Part const& part, index_t queries,
                index_t each) noexcept
      : query_exchange_plan<Exec, Part, knn_params>{exec, workspace, ranks, part, queries, each},
        indices{this->cutter.template take<index_t>(queries * each)},
        distances{this->cutter.template take<typename points_of<Part>::scalar>(queries * each)} {}
};

/// One rank's part of a call, see search_call.
///
/// Ranks answer queries with the values of the neighbors, too. When the rows have been merged, an entry takes its value
/// from the rank's own points or from the answer that it came from, and the consumer gets the row.
template <class Exec, class Communicator, class Part, class Queries, class Consumer>
class consumer_task : public knn_stream_task<Exec, Communicator, shard_index<Exec, points_of<Part>, knn_params>,
                                             shard_args<Part, Queries>> {
  using args_type = shard_args<Part, Queries>;
  using base = knn_stream_task<Exec, Communicator, shard_index<Exec, points_of<Part>, knn_params>, args_type>;
  using value_type = typename Consumer::value_type;

 public:
  using request_type = consumer_request<Part, Queries, Consumer>;
  using plan_type = consumer_plan<Exec, Part>;

  consumer_task(Exec exec, Communicator& communicator, request_type const& request, plan_type const& plan) noexcept
      : base{exec,
             communicator,
             request.consumer.params(),
             request.consumer.report(),
             plan.index,
             {request.part(), request.queries, request.each(),
              squared_radius<typename base::scalar>(request.consumer.params().max_radius), communicator.ranks(),
              communicator.rank(), plan.indices, plan.distances, plan.choice, reach_of(request.source)}},
        consumer_{request.consumer} {
    this->args_.names = names_of(request.source).data();
  }

  /// Cuts the memory of the second half.
  void cut(workspace_cutter& cutter) noexcept {
    base::cut(cutter);
    values_ = {cutter, this->slots(), this->queries(), entries()};
  }

  /// Second half.
  result finish() noexcept {
    result done = base::finish();
    if (done && consumer_.channels > 0) done = exchange_values();
    if (!done) return done;
    return for_each_index(this->exec_, this->queries(),
                          consume_step<args_type, Consumer>{this->args_, consumer_, values_.rows}, 32 * this->args_.k);
  }

 private:
  index_t entries() const noexcept { return this->args_.k * consumer_.channels; }

  result exchange_values() noexcept {
    index_t const k = this->args_.k;
    auto const& memory = this->args_.memory;
    result done = own_values(this->received_queries().size() * k, memory.found, values_.found);
    if (done) {
      done = this->send_back(values_.found, values_.answers, static_cast<std::size_t>(entries()) * sizeof(value_type));
    }
    if (done) done = own_values(this->queries() * k, this->args_.indices, values_.rows);
    if (!done) return done;
    return this->for_each_answer([&](index_t answers, index_t begin) {
      merge_values_step<args_type, value_type> const step{this->args_, begin, consumer_.channels, values_.answers,
                                                          values_.rows};
      return for_each_index(this->exec_, answers * k, step, 8);
    });
  }
  result own_values(index_t count, index_t const* indices, value_type* to) noexcept {
    return for_each_index(this->exec_, count, own_values_step<args_type, Consumer>{this->args_, consumer_, indices, to},
                          8);
  }

  Consumer consumer_;
  row_values_memory<value_type> values_;
};

template <class Exec, class Communicator, class Request>
struct consumer_task_for;
template <class Exec, class Communicator, class Part, class Queries, class Consumer>
struct consumer_task_for<Exec, Communicator, consumer_request<Part, Queries, Consumer>> {
  using type = consumer_task<Exec, Communicator, Part, Queries, Consumer>;
};
/// Task of a request.
template <class Exec, class Communicator, class Request>
using consumer_task_of = typename consumer_task_for<Exec, Communicator, Request>::type;

/// Arguments of the calls. The queries of the first two are the points.
template <class Part>
auto normals_request(Part const& part, normals_params const& params,
                     normals_output<typename points_of<Part>::scalar> const& output) noexcept {
  using points = points_of<Part>;
  shard_normals<points> const consumer{part_of(part).points, params, output, normal_request::of(params, output)};
  return consumer_request<Part, points, shard_normals<points>>{part, part_of(part).points, consumer};
}
template <class Part>
auto means_request(Part const& part, mean_knn_distance_params const& params,
                   mean_knn_distance_output<typename points_of<Part>::scalar> const& output) noexcept {
  using scalar = typename points_of<Part>::scalar;
  return consumer_request<Part, points_of<Part>, shard_means<scalar>>{part, part_of(part).points, {params, output}};
}
template <class Part, class Queries>
auto interpolation_request(Part const& part, span<float const> features, Queries const& queries, index_t channels,
                           interpolate_output const& output) noexcept {
  using consumer = shard_interpolation<typename Queries::scalar>;
  return consumer_request<Part, Queries, consumer>{part, queries, {features, channels, output}};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

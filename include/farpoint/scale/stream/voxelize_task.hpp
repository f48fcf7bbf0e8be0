/// @file
/// voxelize_shard() as loops that a stream can run, with one wait of the host after the first exchange.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/voxelize_steps.hpp>
#include <farpoint/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True for points that may stay at home.
template <class Scalar>
bool counts_more(voxelize_params<Scalar> const& params) noexcept {
  return !params.mode.is_dynamic();
}

/// The workspace of a rank, before that of voxelize(), and its size.
template <class Exec, class Points>
struct voxelize_stream_plan {
  using scalar = typename Points::scalar;

  shard_record<scalar> record;
  index_t rows;
  workspace_cutter cutter;
  voxelize_stream_memory<Exec, scalar> memory;
  std::size_t front;  ///< bytes before voxelize()'s workspace

  voxelize_stream_plan(unsigned char* workspace, int ranks, shard<Points> const& part,
                       voxelize_params<scalar> const& params, voxelize_shard_output<scalar> const& output) noexcept
      : record{params.features.count(), counts_more(params)},
        rows{smaller(output.received_capacity, output.rows.capacity)},
        cutter{workspace},
        memory{cutter, ranks, record, part.points.size(), output.received_capacity, rows},
        front{workspace_aligned(cutter.used())} {}
};

/// One rank's part of a call, after ranks have agreed on the arguments: see voxelize_shard_task, whose answer it gives.
/// It differs where waiting would cost more than computing does: voxels are found and written by one call of
/// voxelize(), and numbers travel with every record, as many as it is known that there are.
template <class Exec, class Communicator, class Points>
class voxelize_stream_task {
 public:
  using scalar = typename Points::scalar;
  using output_type = voxelize_shard_output<scalar>;
  using plan_type = voxelize_stream_plan<Exec, Points>;
  using backend = shard_backend<Exec>;
  using args_type = voxelize_stream_args<Exec, Points>;

  /// @param sources  the ranks, in the order of their points
  voxelize_stream_task(Exec exec, Communicator& communicator, shard<Points> const& part,
                       voxelize_params<scalar> const& params, output_type const& output, int const* sources,
                       bytes workspace) noexcept
      : voxelize_stream_task{exec,
                             communicator,
                             part,
                             params,
                             output,
                             sources,
                             plan_type{workspace.data(), communicator.ranks(), part, params, output},
                             workspace} {}

  result run(shard_header const* headers) noexcept {
    result done = choose_points();
    if (done) done = exchange_counts(headers);
    if (done) done = loop<voxelize_pack_step>(args_.sent, 8);
    if (done) done = messages().send(communicator_, memory_.sent, memory_.received, args_.record.size());
    if (done) done = find_voxels();
    if (done) done = messages().send_back(communicator_, memory_.is_first, memory_.is_new, 1);
    if (done) done = number_voxels(headers);
    return done ? finish() : done;
  }

 private:
  voxelize_stream_task(Exec exec, Communicator& communicator, shard<Points> const& part,
                       voxelize_params<scalar> const& params, output_type const& output, int const* sources,
                       plan_type const& plan, bytes workspace) noexcept
      : exec_{exec},
        communicator_{communicator},
        output_{output},
        sources_{sources},
        memory_{plan.memory},
        workspace_{workspace.subspan(plan.front)},
        args_{part.points,           params, communicator.ranks(), plan.record, memory_, memory_.keys[sorted],
              memory_.points[sorted]} {
    args_.rows = plan.rows;
  }

  /// Keys have eight bits at most.
  static constexpr int sorted = backend::sorter::sorted(8);

  int ranks() const noexcept { return args_.ranks; }
  index_t points() const noexcept { return args_.cloud.size(); }
  /// In records.
  shard_messages messages() noexcept {
    return {message_room_, message_room_ + max_stream_ranks, message_room_ + 2 * max_stream_ranks};
  }

  template <template <class, class> class Step, class... More>
  result loop(index_t count, index_t work, More const&... more) const noexcept {
    return for_each_index(exec_, count, Step<Exec, Points>{args_, more...}, work);
  }

  /// Finds where each point goes, and puts them in order.
  result choose_points() noexcept {
    result done = loop<voxelize_choose_step>(points(), 8);
    if (done && args_.record.has_more && points() > 0) done = leave_surplus();
    if (done && points() > 0) {
      int bits = 1;
      while (1 << bits < ranks() + int{voxelize_stays_kinds}) ++bits;
      done = memory_.sorter.run(exec_, memory_.keys, memory_.points, points(), bits);
    }
    return done ? loop<voxelize_begin_step>(points() + 1, 2) : done;
  }

  result leave_surplus() noexcept {
    auto const size = static_cast<std::size_t>(points());
    voxelize_output<scalar> lists;
    lists.capacity = points();
    lists.list_offsets = span<std::int32_t>{memory_.list_offsets, size + 1};
    lists.list_points = span<std::int32_t>{memory_.list_points, size};
    lists.point_voxel = span<std::int32_t>{memory_.point_voxel, size};
    lists.voxel_count = span<std::int32_t>{memory_.shard_voxels, 1};
    result const done = voxelize(exec_, batch<Points>{args_.cloud}, everything(), lists, workspace_);
    return done ? loop<voxelize_leave_step>(points(), 4) : done;
  }

  /// All voxels, and all points of each.
  voxelize_params<scalar> everything() const noexcept {
    voxelize_params<scalar> params;
    params.grid = args_.params.grid;
    params.hash_seed = args_.params.hash_seed;
    return params;
  }

  /// Tells all ranks how many points go from where to where. They come to the same decision.
  result exchange_counts(shard_header const* headers) noexcept {
    constexpr std::size_t most = max_stream_ranks;
    auto const row = static_cast<std::size_t>(ranks()) + voxelize_stays_kinds + 1;
    std::uint32_t begins[most * (most + voxelize_stays_kinds + 1)];
    std::size_t const size = row * sizeof *begins;
    result done = communicator_.all_gather(memory_.begins, memory_.matrix, size);
    if (done) {
      done = backend::read(exec_, communicator_, begins, memory_.matrix, static_cast<std::size_t>(ranks()) * size);
    }
    if (!done) return done;
    auto const count = [&](int from, int key) {
      std::uint32_t const* const begin = begins + static_cast<std::size_t>(from) * row + key;
      return static_cast<std::size_t>(begin[1] - begin[0]);
    };
    auto const all = static_cast<std::size_t>(ranks());
    result const fits =
        lay_out_records(communicator_.rank(), {headers, all}, sources_, count, messages(), output_.received);
    if (!fits) return fits;
    for (int from = 0; from < ranks(); ++from) {
      outside_ += count(from, ranks() + int{stays_outside});
      non_finite_ += count(from, ranks() + int{stays_non_finite});
    }
    args_.sent = begins[static_cast<std::size_t>(communicator_.rank()) * row + all];
    args_.received = static_cast<std::uint32_t>(messages().received(ranks()));
    return {};
  }

  /// Writes the rows of the rank's voxels, and marks the records that are the first of theirs.
  result find_voxels() noexcept {
    index_t const n = args_.received;
    voxelize_params<scalar> params = args_.params;
    auto const size = static_cast<index_t>(args_.record.size());
    params.features = feature_view::packed(reinterpret_cast<float const*>(memory_.received + 3 * sizeof(scalar)), n,
                                           static_cast<int>(args_.record.features), size);
    voxelize_output<scalar> rows = output_.rows;
    rows.report = memory_.found;
    rows.voxel_count = {};
    rows.point_voxel = span<std::int32_t>{memory_.voxels, args_.received};
    point_view<scalar> const records{reinterpret_cast<scalar const*>(memory_.received), n, size};
    result done = voxelize(exec_, batch<point_view<scalar>>{records}, params, rows, workspace_);
    auto const first_bytes = static_cast<std::size_t>(args_.rows) * sizeof *memory_.first;
    if (done) done = backend::fill(exec_, memory_.first, 0xff, first_bytes);
    if (done) done = loop<voxelize_first_step>(n, 2);
    return done ? loop<voxelize_flag_step>(n, 2) : done;
  }

  /// Numbers the voxels whose first point is here, and tells their owners.
  result number_voxels(shard_header const* headers) noexcept {
    auto const bytes_of_headers = static_cast<std::size_t>(ranks()) * sizeof *headers;
    result done = backend::write(exec_, communicator_, memory_.headers, headers, bytes_of_headers);
    if (done) done = loop<voxelize_spread_step>(points(), 2);
    if (done) {
      done = points() > 0 ? memory_.scan.run(exec_, memory_.firsts)
                          : backend::fill(exec_, memory_.firsts, 0, sizeof *memory_.firsts);
    }
    if (done) done = communicator_.all_gather(memory_.firsts + points(), memory_.totals, sizeof *memory_.totals);
    if (done) done = loop<voxelize_base_step>(ranks(), ranks());
    if (done) done = loop<voxelize_give_step>(args_.sent, 2);
    if (done) done = messages().send(communicator_, memory_.given, memory_.taken, sizeof *memory_.given);
    for (int from = 0; from < ranks() && done; ++from) {
      message const records = messages().incoming[from];
      done = loop<voxelize_number_step>(static_cast<index_t>(records.size), 2, static_cast<std::uint32_t>(from),
                                        static_cast<std::uint32_t>(records.begin));
    }
    return done;
  }

  /// Leaves out the voxels that max_voxels does not allow, and writes the reports.
  result finish() noexcept {
    index_t const voxels = args_.rows;
    result done = loop<voxelize_allow_step>(voxels + 1, 2);
    if (done) done = backend::fill(exec_, memory_.corrections, 0, sizeof *memory_.corrections);
    if (done && (args_.record.has_more || args_.params.mode.max_voxels != voxel_mode::unlimited)) {
      done = loop<voxelize_correct_step>(args_.received, 2);
      if (done) done = loop<voxelize_uncount_step>(voxels, 2);
    }
    if (done) done = loop<voxelize_count_step>(1, 1, output_.rows.voxel_count);
    if (done && !output_.numbers.empty()) {
      done = loop<voxelize_copy_numbers_step>(voxels, 2, output_.numbers.data());
    }
    if (done) done = communicator_.all_gather(memory_.reports + ranks(), memory_.reports, sizeof *memory_.reports);
    if (!done || output_.rows.report == nullptr) return done;
    return loop<voxelize_add_reports_step>(1, ranks(), outside_, non_finite_, output_.rows.report);
  }

  Exec exec_;
  Communicator& communicator_;
  output_type const& output_;
  int const* sources_;
  voxelize_stream_memory<Exec, scalar> memory_;
  bytes workspace_;
  args_type args_;
  message message_room_[4 * max_stream_ranks];
  unsigned long long outside_ = 0;  ///< of all ranks
  unsigned long long non_finite_ = 0;
};

/// Bytes of workspace, for arguments that are not refused.
template <class Exec, class Points>
std::size_t voxelize_stream_size(Exec exec, int ranks, shard<Points> const& part,
                                 voxelize_params<typename Points::scalar> const& params,
                                 voxelize_shard_output<typename Points::scalar> const& output) noexcept {
  std::size_t bound = 0;
  batch_limits const limits{larger(part.points.size(), output.received_capacity), 1};
  if (!voxelize_workspace_bound<Points>(exec, limits, bound)) return 0;
  return voxelize_stream_plan<Exec, Points>{nullptr, ranks, part, params, output}.front + bound;
}

/// The call, for all executions.
template <class Exec, class Communicator, class Points>
result voxelize_shard_on(Exec exec, Communicator& communicator, shard<Points> const& part,
                         voxelize_params<typename Points::scalar> const& params,
                         voxelize_shard_output<typename Points::scalar> const& output, result own,
                         bytes workspace) noexcept {
  int const ranks = communicator.ranks();
  if (own) own = check_voxelize_shard(part, params, output);
  if (own) own = check_workspace(workspace, voxelize_stream_size(exec, ranks, part, params, output));
  shard_header const mine{digest_of(params), own ? 0u : 1u, part.first_index, part.points.size(),
                          output.received_capacity};
  shard_parties<max_stream_ranks> all;
  if (result const agreed = all.agree(exec, communicator, own, mine, workspace); !agreed) return agreed;
  voxelize_stream_task<Exec, Communicator, Points> task{exec,   communicator, part,     params,
                                                        output, all.sources,  workspace};
  return task.run(all.headers);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

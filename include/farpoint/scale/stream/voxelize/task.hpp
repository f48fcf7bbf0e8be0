/// @file
/// voxelize_shard() as loops that a stream can run, with two waits of the host.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/voxelize/steps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One rank's part of a call, with the result of voxelize_shard_task. It saves waits at the expense of work: points are
/// partitioned before the ranks agree on the arguments, one call of voxelize() finds and writes the voxels, and all
/// points of `hard` are sent, because finding the ones that can stay takes as long.
template <class Exec, class Communicator, class Points>
class voxelize_stream_task {
 public:
  using scalar = typename Points::scalar;
  using output_type = voxelize_shard_output<scalar>;
  using backend = shard_backend<Exec>;
  using args_type = voxelize_stream_args<Exec, Points>;

  /// @param workspace  at least voxelize_stream_size() bytes
  voxelize_stream_task(Exec exec, Communicator& communicator, shard<Points> const& part,
                       voxelize_params<scalar> const& params, output_type const& output, bytes workspace) noexcept
      : voxelize_stream_task{exec,      communicator,
                             part,      params,
                             output,    voxelize_stream_sizes{communicator.ranks(), part.points.size(), params, output},
                             workspace, workspace_cutter{workspace.data()}} {}

  /// Partitions the points by destination.
  result choose_points() const noexcept {
    result const done = args_.memory.partition.sort(exec_, voxelize_choose_step<Exec, Points>{args_});
    return done ? loop<voxelize_begin_step>(ranks() + int{voxelize_stays_kinds} + 1, 1) : done;
  }

  /// First message that choose_points() has left, and room for the first messages of all ranks.
  unsigned char* own_message() const noexcept { return args_.memory.own_message; }
  unsigned char* all_messages() const noexcept { return args_.memory.all_messages; }

  /// Makes the rest of the call, after the ranks have agreed on the arguments.
  /// @param headers  `[ranks]`
  /// @param sources  `[ranks]`: ranks in the order of their points
  result run(shard_header const* headers, int const* sources, voxelize_messages const& all) noexcept {
    voxelize_routes routes{communicator_.rank(), ranks(), sources, args_.record.size()};
    auto const begin = [&all](int from, int key) { return all.tail<std::uint32_t>(from, key); };
    result done = routes.lay_out(headers, begin, output_.received);
    if (done) done = send_points(routes);
    if (done) done = find_voxels(routes);
    if (done) done = count_firsts(routes);
    if (done) done = number_voxels(routes);
    return done ? finish(all) : done;
  }

 private:
  using memory_type = voxelize_stream_memory<Exec>;

  voxelize_stream_task(Exec exec, Communicator& communicator, shard<Points> const& part,
                       voxelize_params<scalar> const& params, output_type const& output,
                       voxelize_stream_sizes const& sizes, bytes workspace, workspace_cutter cutter) noexcept
      : exec_{exec},
        communicator_{communicator},
        output_{output},
        sizes_{sizes},
        args_{part.points,
              params,
              sizes.ranks,
              static_cast<std::uint32_t>(communicator.rank()),
              shard_record<scalar>{params.features.count(), false},
              memory_type{cutter, sizes},
              nullptr,
              sizes.rows},
        workspace_{workspace.subspan(workspace_aligned(cutter.used()))} {
    args_.numbers = sizes.has_numbers ? output.numbers.data() : args_.memory.numbers;
  }

  int ranks() const noexcept { return args_.ranks; }
  std::size_t all_ranks() const noexcept { return static_cast<std::size_t>(args_.ranks); }

  template <template <class, class> class Step, class... More>
  result loop(index_t count, index_t work, More const&... more) const noexcept {
    return for_each_index(exec_, count, Step<Exec, Points>{args_, more...}, work);
  }
  template <class T>
  result write(T* to, T const* from) noexcept {
    return backend::write(exec_, communicator_, to, from, all_ranks() * sizeof *from);
  }

  /// Writes the records and exchanges them. Records that the rank keeps are written into the receive buffer.
  result send_points(voxelize_routes& routes) noexcept {
    result done = write(args_.memory.segments, routes.segments());
    if (done) done = args_.memory.partition.move(exec_, voxelize_pack_step<Exec, Points>{args_});
    if (done) done = loop<voxelize_pad_step>(max_padding * ranks(), 8);
    if (!done) return done;
    return routes.records().send(communicator_, args_.memory.sent, args_.memory.received, args_.record.size());
  }

  /// Writes the rows of this rank's voxels, and sends back which records are the first of a voxel.
  result find_voxels(voxelize_routes& routes) noexcept {
    auto const& memory = args_.memory;
    auto const n = static_cast<index_t>(routes.received());
    auto const size = static_cast<index_t>(args_.record.size());
    voxelize_params<scalar> params = args_.params;
    params.features = feature_view::packed(reinterpret_cast<float const*>(memory.received + 3 * sizeof(scalar)), n,
                                           static_cast<int>(args_.record.features), size);
    voxelize_output<scalar> rows = output_.rows;
    rows.report = memory.found;
    rows.voxel_count = {};
    point_view<scalar> const records{reinterpret_cast<scalar const*>(memory.received), n, size};
    result done = memory.noting.run(exec_, records, params, rows, memory.notes, workspace_);
    auto const words = static_cast<std::size_t>(memory_type::first_words(n));
    if (done) done = backend::fill(exec_, memory.is_first, 0, words * sizeof *memory.is_first);
    if (done) done = loop<voxelize_mark_step>(smaller(args_.rows, n), 2);
    return done ? routes.flags().send(communicator_, memory.is_first, memory.flags.words, flag_group_bytes) : done;
  }

  /// Gathers how many voxels have their first point on each rank, by owner.
  result count_firsts(voxelize_routes& routes) noexcept {
    auto const& memory = args_.memory;
    auto const used = static_cast<std::uint64_t>(stream_flags::words_of(static_cast<index_t>(routes.groups())));
    result done = loop<voxelize_rank_step>(stream_flags::words_of(sizes_.flag_groups()), 1, used);
    if (done) done = memory.scan.run(exec_, memory.flags.ranks);
    if (done) done = loop<voxelize_firsts_step>(ranks(), 2);
    std::size_t const size = all_ranks() * sizeof(std::uint32_t);
    if (done) done = communicator_.all_gather(memory.firsts, memory.firsts_of_all, size);
    std::uint32_t firsts[max_stream_ranks * max_stream_ranks];
    if (done) done = backend::read(exec_, communicator_, firsts, memory.firsts_of_all, all_ranks() * size);
    if (!done) return done;
    routes.lay_out_numbers([&](int from, int to) { return firsts[from * ranks() + to]; });
    args_.rows = routes.rows();
    return {};
  }

  /// Numbers the voxels whose first point is on this rank, and sends the numbers to the owners.
  result number_voxels(voxelize_routes& routes) noexcept {
    auto const& memory = args_.memory;
    result done = write(memory.given, routes.given());
    if (done) done = memory.partition.number(exec_, voxelize_give_step<Exec, Points>{args_});
    if (done) done = routes.numbers().send(communicator_, memory.sent, memory.received, sizeof(std::uint32_t));
    for (int from = 0; from < ranks() && done; ++from) {
      message const taken = routes.taken(from);
      done = loop<voxelize_take_step>(static_cast<index_t>(taken.size), 2, std::uint64_t{taken.begin},
                                      routes.first_row(from), routes.base(from));
    }
    return done;
  }

  /// Drops the voxels beyond max_voxels, and writes the reports.
  result finish(voxelize_messages const& all) noexcept {
    auto const& memory = args_.memory;
    result done = loop<voxelize_allow_step>(1, 1);
    if (done && sizes_.has_limit) {
      // At most 32,768 strides, because each adds to the same two sums.
      index_t const step = smaller(args_.rows, index_t{32768});
      done = loop<voxelize_correct_step>(step, 1 + args_.rows / larger(step, index_t{1}), step);
    }
    if (done) done = loop<voxelize_count_step>(1, 1, output_.rows.voxel_count);
    if (done) done = communicator_.all_gather(memory.reports + ranks(), memory.reports, sizeof *memory.reports);
    if (!done || output_.rows.report == nullptr) return done;
    unsigned long long outside = 0;
    unsigned long long non_finite = 0;
    for (int from = 0; from < ranks(); ++from) {
      auto const begin = [&](int kind) { return all.tail<std::uint32_t>(from, ranks() + kind); };
      outside += begin(int{stays_outside} + 1) - begin(int{stays_outside});
      non_finite += begin(int{stays_non_finite} + 1) - begin(int{stays_non_finite});
    }
    return loop<voxelize_add_reports_step>(1, ranks(), outside, non_finite, output_.rows.report);
  }

  Exec exec_;
  Communicator& communicator_;
  output_type const& output_;
  voxelize_stream_sizes sizes_;
  args_type args_;
  bytes workspace_;
};

/// Bytes of workspace for arguments that have been checked.
template <class Exec, class Points>
std::size_t voxelize_stream_size(Exec exec, int ranks, shard<Points> const& part,
                                 voxelize_params<typename Points::scalar> const& params,
                                 voxelize_shard_output<typename Points::scalar> const& output) noexcept {
  voxelize_stream_sizes const sizes{ranks, part.points.size(), params, output};
  std::size_t bound = 0;
  if (!voxelize_workspace_bound<Points>(exec, {sizes.received, 1}, bound)) return 0;
  workspace_cutter cutter;
  voxelize_stream_memory<Exec> const memory{cutter, sizes};
  static_cast<void>(memory);
  return workspace_aligned(cutter.used()) + bound;
}

/// Makes the call, for all executions.
template <class Exec, class Communicator, class Points>
result voxelize_shard_on(Exec exec, Communicator& communicator, shard<Points> const& part,
                         voxelize_params<typename Points::scalar> const& params,
                         voxelize_shard_output<typename Points::scalar> const& output, result own,
                         bytes workspace) noexcept {
  using task_type = voxelize_stream_task<Exec, Communicator, Points>;
  using telling_type = stream_telling<Exec, Communicator, voxelize_messages>;
  if (own) own = check_voxelize_shard(part, params, output);
  if (own)
    own = check_workspace(workspace, voxelize_stream_size(exec, communicator.ranks(), part, params, output),
                          FARPOINT_WORKSPACE_OF("voxelize_shard"));
  shard_header headers[max_stream_ranks];
  int sources[max_stream_ranks];
  auto const agree = [&](telling_type telling) {
    shard_header const mine{digest_of(params), own ? 0u : 1u, part.first_index, part.points.size(),
                            output.received_capacity};
    return agree_on_shards(telling, own, mine, headers, sources);
  };
  voxelize_messages messages{voxelize_tail_bytes(communicator.ranks())};
  if (!own) return or_abort(communicator, agree(telling_type{exec, communicator, nullptr, nullptr, messages}));
  task_type task{exec, communicator, part, params, output, workspace};
  own = task.choose_points();
  result const agreed =
      agree(telling_type{exec, communicator, own ? task.own_message() : nullptr, task.all_messages(), messages});
  return or_abort(communicator, agreed ? task.run(headers, sources, messages) : agreed);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

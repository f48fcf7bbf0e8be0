/// @file
/// voxelize_shard() on any execution. The host waits for a stream twice.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/voxelize/steps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Call of one rank.
///
/// Every point in a voxel goes to the owner of the voxel. The received points form a cloud, in the order of the whole
/// cloud, that has all points of the owner's voxels. voxelize() of this cloud yields the owner's rows of the whole
/// cloud; only the numbers of the voxels are missing. All points of `hard` are sent, because finding the ones that can
/// stay takes longer. Points are partitioned before the ranks agree on the arguments, which saves a wait.
///
/// Example: rank 0 has points in voxels A B A, rank 1 in B C. Rank 0 owns A and C, rank 1 owns B.
///
///   received    rank 0: A A, C           rank 1: B, B     (records, by source)
///   is_first    rank 0: 1 0, 1           rank 1: 1, 0
///   flags       rank 0: A 1, A 0, B 1    rank 1: C 1, B 0
///   numbers     rank 0: A = 0, C = 2     rank 1: B = 1
template <class Exec, class Communicator, class Points>
class voxelize_shard_task {
 public:
  using request_type = voxelize_shard_request<Points>;
  using scalar = typename Points::scalar;

  /// @param workspace  at least voxelize_shard_bytes() bytes
  voxelize_shard_task(Exec exec, Communicator& communicator, request_type const& request, bytes workspace) noexcept
      : voxelize_shard_task{exec,
                            communicator,
                            request,
                            workspace,
                            voxelize_shard_sizes{communicator.ranks(), request},
                            workspace_cutter{workspace.data()}} {}

  /// Partitions the points by destination.
  result choose_points() noexcept {
    result const done = args_.memory.partition.sort(exec_, voxelize_choose_step<Exec, Points>{args_});
    return done ? loop<voxelize_begin_step>(voxelize_counts(ranks()), 1, plan_.begins.own()) : done;
  }

  /// Counts of choose_points(), to be exchanged with the headers.
  voxelize_begins<Exec>& begins() noexcept { return plan_.begins; }

  /// Makes the rest of the call, after the ranks have agreed on the arguments.
  /// @param headers  `[ranks]`
  /// @param sources  `[ranks]`: ranks in the order of their points
  result run(shard_header const* headers, int const* sources) noexcept {
    result done = plan_.begins.exchange_counts(communicator_);
    if (done) done = plan_.routes.lay_out(me(), headers, sources, plan_.begins, request_.output.received);
    if (done) done = send_points();
    if (done) done = find_voxels();
    if (done) done = count_firsts(sources);
    if (done) done = number_voxels();
    return done ? finish() : done;
  }

 private:
  using backend = shard_backend<Exec>;
  using args_type = voxelize_shard_args<Exec, Points>;
  using memory_type = voxelize_shard_memory<Exec>;

  voxelize_shard_task(Exec exec, Communicator& communicator, request_type const& request, bytes workspace,
                      voxelize_shard_sizes const& sizes, workspace_cutter cutter) noexcept
      : exec_{exec},
        communicator_{communicator},
        request_{request},
        sizes_{sizes},
        plan_{cutter, sizes},
        args_{request.part.points,
              request.params,
              sizes.ranks,
              static_cast<std::uint32_t>(communicator.rank()),
              request.record(),
              plan_.memory,
              sizes.has_numbers ? request.output.numbers.data() : plan_.memory.numbers,
              sizes.rows},
        workspace_{workspace.subspan(workspace_aligned(cutter.used()))} {}

  int me() const noexcept { return communicator_.rank(); }
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
  result send_points() noexcept {
    result done = write(args_.memory.segments, plan_.routes.segments());
    if (done) done = args_.memory.partition.move(exec_, voxelize_pack_step<Exec, Points>{args_});
    if (done) done = loop<voxelize_pad_step>(max_padding * ranks(), 8);
    if (!done) return done;
    return plan_.routes.records().send(communicator_, args_.memory.sent, args_.memory.received, args_.record.size());
  }

  /// Writes the rows of this rank's voxels, and sends back which records are the first of a voxel.
  result find_voxels() noexcept {
    auto const& memory = args_.memory;
    auto const n = static_cast<index_t>(plan_.routes.received());
    auto const size = static_cast<index_t>(args_.record.size());
    voxelize_params<scalar> params = args_.params;
    params.features = feature_view::packed(reinterpret_cast<float const*>(memory.received + 3 * sizeof(scalar)), n,
                                           static_cast<int>(args_.record.features), size);
    voxelize_output<scalar> rows = request_.output.rows;
    rows.report = memory.found;
    rows.voxel_count = {};
    point_view<scalar> const records{reinterpret_cast<scalar const*>(memory.received), n, size};
    result done = memory.noting.run(exec_, records, params, rows, memory.notes, workspace_);
    auto const words = static_cast<std::size_t>(memory_type::first_words(n));
    if (done) done = backend::fill(exec_, memory.is_first, 0, words * sizeof *memory.is_first);
    if (done) done = loop<voxelize_mark_step>(smaller(args_.rows, n), 2);
    return done ? plan_.routes.flags().send(communicator_, memory.is_first, memory.flags.words, flag_group_bytes)
                : done;
  }

  /// Gathers how many voxels have their first point on each rank, by owner.
  result count_firsts(int const* sources) noexcept {
    auto const& memory = args_.memory;
    auto const used = static_cast<std::uint64_t>(stream_flags::words_of(static_cast<index_t>(plan_.routes.groups())));
    result done = loop<voxelize_rank_step>(stream_flags::words_of(sizes_.flag_groups()), 1, used);
    if (done) done = memory.scan.run(exec_, memory.flags.ranks);
    if (done) done = loop<voxelize_firsts_step>(ranks(), 2);
    std::size_t const size = all_ranks() * sizeof(std::uint32_t);
    if (done) done = communicator_.all_gather(memory.firsts, memory.firsts_of_all, size);
    host_copy<Exec, std::uint32_t, shard_max_ranks<Exec> * shard_max_ranks<Exec>> firsts;
    if (done) done = firsts.read(exec_, communicator_, memory.firsts_of_all, ranks() * ranks());
    if (!done) return done;
    plan_.routes.lay_out_numbers(me(), sources,
                                 [&](int from, int to) { return firsts.data()[index_t{from} * ranks() + to]; });
    args_.rows = plan_.routes.rows();
    return {};
  }

  /// Numbers the voxels whose first point is on this rank, and sends the numbers to the owners.
  result number_voxels() noexcept {
    auto const& memory = args_.memory;
    result done = write(memory.given, plan_.routes.given());
    if (done) done = memory.partition.number(exec_, voxelize_give_step<Exec, Points>{args_});
    if (done) done = plan_.routes.numbers().send(communicator_, memory.sent, memory.received, sizeof(std::uint32_t));
    for (int from = 0; from < ranks() && done; ++from) {
      message const taken = plan_.routes.taken(from);
      done = loop<voxelize_take_step>(static_cast<index_t>(taken.size), 2, std::uint64_t{taken.begin},
                                      plan_.routes.first_row(from), plan_.routes.base(from));
    }
    return done;
  }

  /// Drops the voxels beyond max_voxels, and writes the reports.
  result finish() noexcept {
    auto const& memory = args_.memory;
    result done = loop<voxelize_allow_step>(1, 1);
    if (done && sizes_.has_limit) {
      // At most 32,768 strides, because each adds to the same two sums.
      index_t const step = smaller(args_.rows, index_t{32768});
      done = loop<voxelize_correct_step>(step, 1 + args_.rows / larger(step, index_t{1}), step);
    }
    if (done) done = loop<voxelize_count_step>(1, 1, request_.output.rows.voxel_count);
    if (done) done = communicator_.all_gather(memory.reports + ranks(), memory.reports, sizeof *memory.reports);
    if (!done || request_.output.rows.report == nullptr) return done;
    unsigned long long outside = 0;
    unsigned long long non_finite = 0;
    for (int from = 0; from < ranks(); ++from) {
      auto const begin = [&](int kind) { return plan_.begins(from, ranks() + kind); };
      outside += begin(int{stays_outside} + 1) - begin(int{stays_outside});
      non_finite += begin(int{stays_non_finite} + 1) - begin(int{stays_non_finite});
    }
    return loop<voxelize_add_reports_step>(1, ranks(), outside, non_finite, request_.output.rows.report);
  }

  Exec exec_;
  Communicator& communicator_;
  request_type const& request_;
  voxelize_shard_sizes sizes_;
  voxelize_shard_plan<Exec> plan_;
  args_type args_;
  bytes workspace_;
};

/// Bytes of workspace; 0 if an argument is refused.
template <class Exec, class Points>
std::size_t voxelize_shard_bytes(Exec exec, int ranks, voxelize_shard_request<Points> const& request) noexcept {
  if (!rank_checks<Exec>::accepts(exec) || ranks < 1 || ranks > shard_max_ranks<Exec> || !request.check()) return 0;
  voxelize_shard_sizes const sizes{ranks, request};
  std::size_t bound = 0;
  if (!voxelize_workspace_bound<Points>(exec, {sizes.received, 1}, bound)) return 0;
  workspace_cutter cutter;
  static_cast<void>(voxelize_shard_plan<Exec>{cutter, sizes});
  return workspace_aligned(cutter.used()) + bound;
}

/// Makes the call.
/// @param own  result of the checks so far
template <class Exec, class Communicator, class Points>
result voxelize_shard_on(Exec exec, Communicator& communicator, voxelize_shard_request<Points> const& request,
                         result own, bytes workspace) noexcept {
  int const ranks = communicator.ranks();
  if (own) own = request.check();
  if (own)
    own =
        check_workspace(workspace, voxelize_shard_bytes(exec, ranks, request), FARPOINT_WORKSPACE_OF("voxelize_shard"));
  shard_headers<shard_max_ranks<Exec>> all;
  auto const agree = [&](voxelize_begins<Exec>& begins) {
    shard_header const mine{digest_of(request.params), own ? 0u : 1u, request.part.first_index,
                            request.part.points.size(), request.output.received_capacity};
    result const done = begins.exchange_headers(exec, communicator, static_cast<bool>(own), mine, all.headers);
    return done ? order_shards(own, all.headers, ranks, all.sources) : done;
  };
  if (!own) {
    workspace_cutter none;
    voxelize_begins<Exec> begins{none, ranks, voxelize_counts(ranks)};
    return or_abort(communicator, agree(begins));
  }
  voxelize_shard_task<Exec, Communicator, Points> task{exec, communicator, request, workspace};
  own = task.choose_points();
  result const agreed = agree(task.begins());
  return or_abort(communicator, agreed ? task.run(all.headers, all.sources) : agreed);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// fps_shard() as kernels that a stream runs, some rounds between two looks of the host.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/stream/fps_steps.hpp>

#include <cmath>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The most ranks of a call on shards in device memory: what each says is looked at on the caller's stack.
inline constexpr int fps_stream_most_ranks = 120;

/// Candidates above the cut that ranks list together, about, for each root of a block.
inline constexpr float fps_stream_candidates = 60;

/// The workspace of a rank, and its size.
template <class Exec, class Blocks, class Points>
struct fps_stream_plan {
  using config = typename Blocks::template config<Points::dim>;

  workspace_cutter cutter;
  fps_stream_memory<config> memory;
  typename Blocks::template order_memory<Points> order;
  typename shard_backend<Exec>::sorter sorter;
  std::uint64_t* non_finite;

  fps_stream_plan(unsigned char* workspace, int ranks, Points const& cloud, index_t samples) noexcept
      : cutter{workspace},
        memory{cutter, ranks, cloud.size(), larger<index_t>(samples - 1, 0)},
        order{cutter, cloud},
        sorter{cutter, memory.found_size},
        non_finite{cutter.take<std::uint64_t>(1)} {}
};

/// One rank's part of a call, after ranks have agreed on the arguments.
///
/// A round is two kernels with an exchange between them: each rank lowers its points to the samples of the round before
/// and lists its best candidates; all ranks have all lists then, and come to the same decision which become samples. It
/// is the round of local_maxima_team. The host enqueues some rounds, then looks whether they were enough; those that
/// come after the last one do nothing.
/// @tparam Blocks  launches the kernels, and puts neighbours together
template <class Exec, class Blocks, class Communicator, class Points>
class fps_stream_task {
 public:
  using plan_type = fps_stream_plan<Exec, Blocks, Points>;
  using config = typename plan_type::config;
  using args_type = fps_stream_args<config, Points>;
  using output_type = fps_shard_output<float>;
  using backend = shard_backend<Exec>;

  fps_stream_task(Exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                  output_type const& output, plan_type const& plan) noexcept
      : exec_{exec},
        communicator_{communicator},
        part_{part},
        params_{params},
        output_{output},
        plan_{plan},
        args_{part.points,
              static_cast<std::uint32_t>(part.first_index),
              plan.order.indices(),
              plan.memory,
              plan.memory.found[0],
              0xffffffffu,
              static_cast<std::uint32_t>(larger<index_t>(params.samples - 1, 0)),
              static_cast<float>(params.stop_below) * static_cast<float>(params.stop_below),
              static_cast<unsigned>(communicator.ranks()),
              static_cast<unsigned>(communicator.rank()),
              0} {}

  /// @param first  the first sample; negative: the cloud is empty
  result run(index_t first, shard_header const* headers) noexcept {
    if (params_.samples == 0) return write_empty();
    result done = exchange_starts(first, headers);
    if (!done) return done;
    if (first >= 0 && !has_first_) return reject("fps_shard: params.first is not a point of any rank");
    if (seed_ < 0) return write_empty();
    done = begin();
    if (done && wanted() > 0) done = sample();
    return done ? write() : done;
  }

 private:
  int ranks() const noexcept { return communicator_.ranks(); }
  index_t points() const noexcept { return part_.points.size(); }
  auto const& memory() const noexcept { return plan_.memory; }
  /// Samples besides the first.
  std::uint32_t wanted() const noexcept { return args_.wanted; }
  /// Which of the rank's points it is; -1: none.
  index_t here(index_t index) const noexcept {
    index_t const local = index - part_.first_index;
    return local >= 0 && local < points() ? local : -1;
  }
  template <class T>
  result put(T* to, T const& value) noexcept {
    return backend::write(exec_, communicator_, to, &value, sizeof value);
  }

  /// Finds out where to start.
  result exchange_starts(index_t first, shard_header const* headers) noexcept {
    constexpr int dim = Points::dim;
    using start = fps_stream_start<dim>;
    start* const own = memory().starts + ranks();
    start nothing{};
    nothing.lowest = 0xffffffffu;
    result done = put(own, nothing);
    if (done) done = backend::fill(exec_, plan_.non_finite, 0, sizeof *plan_.non_finite);
    if (done) {
      done = for_each_index(exec_, points(), fps_stream_look_step<Points>{part_.points, own, plan_.non_finite}, 4);
    }
    if (done) {
      fps_stream_start_step<Points> const add{part_.points, own, plan_.non_finite, first < 0 ? -1 : here(first)};
      done = for_each_index(exec_, 1, add);
    }
    if (done) done = gather(own, memory().starts, sizeof *own);
    start all[fps_stream_most_ranks];
    auto const size = static_cast<std::size_t>(ranks()) * sizeof *own;
    if (done) done = backend::read(exec_, communicator_, all, memory().starts, size);
    for (int r = 0; r < ranks() && done; ++r) {
      report_.non_finite += all[r].non_finite;
      has_first_ = has_first_ || all[r].has_first != 0;
      bool const is_first = all[r].first_counts != 0;
      index_t const lowest = all[r].lowest != 0xffffffffu ? headers[r].first_index + index_t{all[r].lowest} : -1;
      bool const is_lowest = lowest >= 0 && (seed_ < 0 || lowest < seed_);
      if (!is_first && (first_counts_ || !is_lowest)) continue;
      first_counts_ = is_first;
      seed_ = is_first ? first : lowest;
      seed_point_ = is_first ? all[r].first_point : all[r].lowest_point;
    }
    return done;
  }

  template <class T>
  result gather(T const* mine, T* all, std::size_t size) noexcept {
    ++exchanges_;
    return communicator_.all_gather(mine, all, size);
  }

  /// Puts neighbours together, and takes the first sample.
  result begin() noexcept {
    index_t const own = here(seed_);
    if (own >= 0) args_.taken = static_cast<std::uint32_t>(own);
    result done = points() > 0 ? Blocks::arrange(exec_, part_.points, plan_) : result{};
    if (done && points() > 0) done = Blocks::load(exec_, args_);
    float const listed = fps_stream_candidates * std::sqrt(static_cast<float>(ranks()) * config::blocks);
    if (done) done = put(memory().states, fps_stream_state{local_maxima_cut{listed}, 0, 1, 0});
    if (done) done = put(memory().samples, fps_ball<Points::dim>{seed_point_, not_yet_measured<float>});
    return done;
  }

  /// Rounds, until they were enough.
  result sample() noexcept {
    result done;
    fps_stream_state state{local_maxima_cut{0}, 0, 0, 0};
    while (done && state.done == 0) {
      for (int k = 0; k < config::rounds_at_once && done; ++k) {
        ++args_.round;
        done = Blocks::list(exec_, args_);
        if (done) done = gather(memory().sent, memory().received, config::blocks * sizeof *memory().sent);
        if (done) done = Blocks::decide(exec_, args_);
      }
      if (done) done = backend::read(exec_, communicator_, &state, memory().states + args_.round % 2, sizeof state);
      if (done && state.done == 0) done = make_room(state);
    }
    size_ = state.size;
    return done;
  }

  /// What is behind as many samples as are wanted stays there, whatever else is found.
  result make_room(fps_stream_state state) noexcept {
    fps_stream_counters counters{};
    auto* const counted = memory().counters + args_.round % 2;
    result done = backend::read(exec_, communicator_, &counters, counted, sizeof counters);
    std::uint32_t const all = state.size + counters.accepted;
    index_t const most = memory().found_size - config::rounds_at_once * memory().places(ranks());
    if (!done || index_t{all} <= most) return done;
    done = sort(all);
    fps_key* const other = memory().found[args_.found == memory().found[0] ? 1 : 0];
    if (done) done = for_each_index(exec_, wanted(), fps_stream_gather_step{args_.found, sorted(), other});
    args_.found = other;
    state.size = wanted();
    counters.counted = counters.accepted;
    if (done) done = put(memory().states + args_.round % 2, state);
    return done ? put(counted, counters) : done;
  }

  /// Puts the samples found in the serial loop's order: sorted() of them.
  result sort(std::uint32_t size) noexcept {
    using memory_type = fps_stream_memory<config>;
    result done;
    for (bool const is_high : {false, true}) {
      fps_stream_key_step<memory_type> const keys{memory(), args_.found, is_high ? buffer : 0, is_high};
      if (done) done = for_each_index(exec_, size, keys);
      if (done) done = plan_.sorter.run(exec_, memory().sort_keys, memory().sort_values, size, 32);
    }
    return done;
  }
  /// Of four passes the result is where they began.
  static constexpr int buffer = backend::sorter::sorted(32);
  static_assert(buffer == 0, "farpoint: a second sort begins in the first buffers");
  std::uint32_t const* sorted() const noexcept { return memory().sort_values[buffer]; }

  result write() noexcept {
    result done = size_ > 0 ? sort(size_) : result{};
    fps_stream_write_step<float> const step{args_.found, sorted(), size_, seed_, args_.stop2, output_, params_.samples};
    if (done) done = for_each_index(exec_, params_.samples, step);
    return done ? write_counters() : done;
  }
  result write_empty() noexcept {
    fps_stream_empty_step<float> const step{output_, params_.samples};
    result const done = for_each_index(exec_, larger<index_t>(params_.samples, 1), step);
    return done ? write_counters() : done;
  }
  result write_counters() noexcept {
    if (output_.exchanges != nullptr) *output_.exchanges = exchanges_;
    return output_.report == nullptr ? result{} : put(output_.report, report_);
  }

  Exec exec_;
  Communicator& communicator_;
  shard<Points> const& part_;
  fps_params const& params_;
  output_type const& output_;
  plan_type const& plan_;
  args_type args_;

  fps_report report_{};
  index_t exchanges_ = 1;  ///< the agreement on the arguments
  bool has_first_ = false;
  bool first_counts_ = false;
  index_t seed_ = -1;  ///< the first sample
  vec<float, Points::dim> seed_point_{};
  std::uint32_t size_ = 0;  ///< samples found besides it
};

/// Checks what a rank can see for itself.
template <class Points>
result check_fps_stream(shard<Points> const& part, fps_params const& params,
                        fps_shard_output<float> const& output) noexcept {
  if (!params.chosen.empty()) return reject("fps_shard: params.chosen is not for calls on a stream");
  if (result const checked = check_fps_shard(part, params, output); !checked) return checked;
  if (params.samples > max_narrow_points) return reject("fps_shard: more than 2^31 - 1 samples");
  if (part.first_index + part.points.size() >= (index_t{1} << 32) - 1) {
    return reject("fps_shard: on a stream indices into the whole cloud are below 2^32 - 1");
  }
  return {};
}

/// The call, for all executions.
template <class Blocks, class Exec, class Communicator, class Points>
result fps_shard_on(Exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                    fps_shard_output<float> const& output, result own, bytes workspace) noexcept {
  int const ranks = communicator.ranks();
  if (own) own = check_fps_stream(part, params, output);
  bool const fits = static_cast<bool>(own);
  Points const cloud = fits ? part.points : Points{};
  using plan_type = fps_stream_plan<Exec, Blocks, Points>;
  plan_type const plan{workspace.data(), ranks, cloud, fits ? params.samples : 0};
  if (own) own = check_workspace(workspace, plan.cutter.used());

  shard_header const mine{own ? digest_of<Points>(params) : 0, own ? 0u : 1u, part.first_index, part.points.size(), 0};
  shard_parties<fps_stream_most_ranks> all;
  if (result const agreed = all.agree(exec, communicator, own, mine, workspace); !agreed) return agreed;
  index_t const first = fps_shard_first(params, all.headers, all.sources, ranks);
  if (first == -2) return reject("fps_shard: params.random_first is for clouds of fewer than 2^32 points");
  return fps_stream_task<Exec, Blocks, Communicator, Points>{exec, communicator, part, params, output, plan}.run(
      first, all.headers);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// fps_shard() as kernels that a stream runs, with one wait of the host per batch of rounds.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/stream/fps/peers.hpp>
#include <farpoint/scale/stream/fps/plan.hpp>
#include <farpoint/scale/stream/fps/steps.hpp>

#include <cmath>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One rank's part of a call, after the ranks have agreed on the arguments.
///
/// With peer memory, one kernel on each rank does everything. Without it, a round is two kernels with an exchange
/// between them: each rank lowers its points to the samples of the previous round and lists its best candidates; then
/// all ranks have all lists and accept the same samples. The round is the one of local_maxima_team. The host enqueues a
/// batch of rounds and then checks whether they were enough; rounds after the last one needed do nothing.
/// @tparam Blocks  launches the kernels, and sorts points so that neighboring points are together
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
        peers_{peers_of(communicator)},
        args_{part.points,
              static_cast<std::uint32_t>(part.first_index),
              plan.order.indices(),
              plan.memory,
              plan.memory.found[0],
              static_cast<std::uint32_t>(params.samples),
              rounded_square<float>(params.stop_below),
              static_cast<unsigned>(communicator.ranks()),
              static_cast<unsigned>(communicator.rank()),
              0} {}

  /// @param first  index of the first sample; negative if the cloud is empty
  result run(index_t first, shard_header const* headers) noexcept {
    if (params_.samples == 0) return write_empty();
    result done = prepare();
    if (done) done = exchange_chosen();
    if (done) done = exchange_starts(first, headers);
    if (!done) return done;
    if (!started_ && first >= 0 && !has_first_) return reject("fps_shard: params.first is not a point of any rank");
    if (seed_ < 0) return write_empty();
    if (started_) seed_ = -1;
    bool is_answered = false;
    if constexpr (plan_type::peer_plan::has_kernel) {
      if (team_.listed(ranks()) > 0) done = sample_by_peers(is_answered);
    }
    if (!done || is_answered) return done ? write_counters() : done;
    done = begin();
    if (done && wanted() > 0) done = sample();
    return done ? write() : done;
  }

 private:
  using start = fps_stream_start<Points::dim>;

  int ranks() const noexcept { return communicator_.ranks(); }
  int rank() const noexcept { return communicator_.rank(); }
  start* own_start() const noexcept { return memory().starts + ranks(); }
  index_t points() const noexcept { return part_.points.size(); }
  auto const& memory() const noexcept { return plan_.memory; }
  /// Number of samples without the first.
  std::uint32_t wanted() const noexcept { return args_.wanted; }
  /// Local index of a point; -1 if the rank does not have the point.
  index_t here(index_t index) const noexcept {
    index_t const local = index - part_.first_index;
    return local >= 0 && local < points() ? local : -1;
  }
  template <class T>
  result put(T* to, T const& value) noexcept {
    return backend::write(exec_, communicator_, to, &value, sizeof value);
  }

  /// Sorts the points and clears this rank's peer memory. Other ranks write to it only after they have received this
  /// rank's start message.
  result prepare() noexcept {
    start nothing{};
    nothing.lowest = 0xffffffffu;
    fps_peer_window const window = peer_window();
    bool const has_memory = peers_.memory[0] != nullptr && peers_.size >= window.size();
    nothing.team = plan_.peers.offer(exec_, ranks(), has_memory);
    result done = put(own_start(), nothing);
    if (done && nothing.team.blocks > 0) done = backend::fill(exec_, peers_.memory[rank()], 0, window.size());
    auto const mark_bytes = static_cast<std::size_t>(memory().mark_words(points())) * sizeof *memory().marks;
    if (done) done = backend::fill(exec_, memory().marks, 0, mark_bytes);
    if (done) done = backend::fill(exec_, plan_.outcome, 0, sizeof *plan_.outcome);
    return done && points() > 0 ? Blocks::arrange(exec_, part_.points, plan_) : done;
  }
  fps_peer_window peer_window() const noexcept { return {ranks(), params_.samples}; }

  /// Exchanges the chosen points: each rank has the coordinates of its own.
  result exchange_chosen() noexcept {
    index_t const count = params_.chosen.size();
    if (count == 0) return {};
    using memory_type = fps_stream_memory<config>;
    auto const size = static_cast<std::size_t>(count) * sizeof *memory().chosen;
    auto* const total = &own_start()->chosen;
    fps_stream_tell_step<Points, memory_type> const tell{part_.points, part_.first_index, params_.chosen, memory(),
                                                         total};
    result done = for_each_index(exec_, count, tell, 4);
    if (done) done = gather(memory().chosen, memory().chosen + count, size);
    fps_stream_hear_step<memory_type> const hear{memory(), params_.chosen, index_t{ranks()}, total};
    return done ? for_each_index(exec_, count, hear, index_t{ranks()}) : done;
  }

  /// Finds the first sample, and the team that the ranks can form.
  result exchange_starts(index_t first, shard_header const* headers) noexcept {
    start* const own = own_start();
    result done = backend::fill(exec_, plan_.non_finite, 0, sizeof *plan_.non_finite);
    if (done) {
      done = for_each_index(exec_, points(), fps_stream_look_step<Points>{part_.points, own, plan_.non_finite}, 4);
    }
    if (done) {
      fps_stream_start_step<Points> const add{part_.points, own, plan_.non_finite, first < 0 ? -1 : here(first)};
      done = for_each_index(exec_, 1, add);
    }
    if (done) done = gather(own, memory().starts, sizeof *own);
    start all[fps_stream_max_ranks];
    auto const size = static_cast<std::size_t>(ranks()) * sizeof *own;
    if (done) done = backend::read(exec_, communicator_, all, memory().starts, size);
    if (!done) return done;
    team_ = all[0].team;
    started_ = all[0].chosen.count > 0;
    report_.chosen_out_of_range = all[0].chosen.out_of_range;
    for (int r = 0; r < ranks(); ++r) {
      if (all[r].chosen.digest != all[0].chosen.digest) return reject("shards: ranks have different parameters");
      team_.meet(all[r].team);
      report_.non_finite += all[r].non_finite;
      all_points_ += headers[r].points;
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

  /// Runs one kernel on each rank that computes the samples.
  /// @param is_answered  set to true if the kernel had room for all samples
  result sample_by_peers(bool& is_answered) noexcept {
    auto const team = static_cast<float>(ranks() * static_cast<int>(team_.blocks));
    float const wanted = params_.samples > 32768 ? maxima_peer_candidates_of_many : maxima_peer_candidates;
    fps_peer_window const window = peer_window();
    fps_peer_args<Points> args{
        part_.points,
        {plan_.order.indices(), memory().points, point_marks{memory().marks}},
        {all_points_, params_.samples, window.max_keys, args_.stop2, seed_, seed_point_, memory().samples,
         memory().chosen_indices, params_.chosen.size(), output_},
        {{}, window.board_bytes, args_.ranks, args_.rank, team_.blocks, args_.first_index, nanoseconds(peers_.timeout)},
        {wanted * std::sqrt(team), team_.listed(ranks())},
        plan_.outcome};
    for (int r = 0; r < ranks(); ++r) args.places.memory[r] = peers_.memory[r];
    result done = plan_.peers.launch(exec_, args);
    std::uint32_t outcome = 0;
    if (done) done = backend::read(exec_, communicator_, &outcome, plan_.outcome, sizeof outcome);
    if (!done) return done;
    if (outcome == static_cast<std::uint32_t>(fps_peer_outcome::failed)) {
      return communication_failure("fps_shard: a rank has failed, or did not come in time");
    }
    is_answered = outcome == static_cast<std::uint32_t>(fps_peer_outcome::done);
    return {};
  }
  static std::uint64_t nanoseconds(std::chrono::milliseconds time) noexcept {
    return time.count() <= 0 ? 0 : static_cast<std::uint64_t>(std::chrono::nanoseconds{time}.count());
  }

  /// Prepares the rounds: takes the first sample or the chosen points as samples.
  result begin() noexcept {
    index_t const own = started_ ? -1 : here(seed_);
    result done;
    if (own >= 0) done = put(memory().marks + own / 32, std::uint32_t{1} << (own % 32));
    if (done && points() > 0) done = Blocks::load(exec_, args_);
    float const listed = fps_stream_candidates * std::sqrt(static_cast<float>(ranks()) * config::blocks);
    auto const first = static_cast<std::uint32_t>(started_ ? params_.chosen.size() : 1);
    if (done) done = put(memory().states, fps_stream_state{local_maxima_cut{listed}, 0, first, 0});
    if (started_) return done;
    --args_.wanted;
    return done ? put(memory().samples, fps_ball<Points::dim>{seed_point_, not_yet_measured<float>}) : done;
  }

  /// Runs rounds until they are enough.
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

  /// Keeps the wanted() best samples if another batch of rounds would not fit. Further samples cannot move a dropped
  /// one forward.
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

  /// Sorts the found samples in the order of the serial loop. sorted() has the order.
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
  /// The sort makes four passes, so the result is in the first buffers again.
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
  peer_memory peers_;
  args_type args_;

  fps_peer_team team_{};
  index_t all_points_ = 0;  ///< points of all ranks
  bool started_ = false;    ///< a chosen point counts as a sample
  fps_report report_{};
  index_t exchanges_ = 1;  ///< 1: the agreement on the arguments
  bool has_first_ = false;
  bool first_counts_ = false;
  index_t seed_ = -1;  ///< index of the first sample
  vec<float, Points::dim> seed_point_{};
  std::uint32_t size_ = 0;  ///< samples found in rounds
};

/// Checks what a rank can check alone.
template <class Points>
result check_fps_stream(shard<Points> const& part, fps_params const& params,
                        fps_shard_output<float> const& output) noexcept {
  if (result const checked = check_fps_shard(part, params, output); !checked) return checked;
  if (params.samples > max_narrow_points) return reject("fps_shard: more than 2^31 - 1 samples");
  if (part.first_index + part.points.size() >= (index_t{1} << 32) - 1) {
    return reject("fps_shard: on a stream indices into the whole cloud are below 2^32 - 1");
  }
  return {};
}

/// Makes the call, for all executions.
template <class Blocks, class Exec, class Communicator, class Points>
result fps_shard_on(Exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                    fps_shard_output<float> const& output, result own, bytes workspace) noexcept {
  int const ranks = communicator.ranks();
  if (own) own = check_fps_stream(part, params, output);
  bool const fits = static_cast<bool>(own);
  Points const cloud = fits ? part.points : Points{};
  using plan_type = fps_stream_plan<Exec, Blocks, Points>;
  plan_type const plan{workspace.data(), ranks, cloud, fits ? params : fps_params{}};
  if (own) own = check_workspace(workspace, plan.cutter.used(), FARPOINT_WORKSPACE_OF("fps_shard"));

  // The chosen points may be in device memory, so they are compared later, by fps_stream_chosen::digest.
  std::uint64_t const digest = own ? digest_of<Points>(params, false) : 0;
  shard_header const mine{digest, own ? 0u : 1u, part.first_index, part.points.size(), 0};
  shard_headers<fps_stream_max_ranks> all;
  result const agreed = all.agree(exec, communicator, own, mine, workspace);
  if (!agreed) return or_abort(communicator, agreed);
  index_t const first = fps_shard_first(params, all.headers, all.sources, ranks);
  if (first == -2) return reject("fps_shard: params.random_first is for clouds of fewer than 2^32 points");
  fps_stream_task<Exec, Blocks, Communicator, Points> task{exec, communicator, part, params, output, plan};
  return or_abort(communicator, task.run(first, all.headers));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Rounds of fps_tiles(), whose arguments have been checked.
#pragma once

#include <farpoint/host/float_environment.hpp>
#include <farpoint/scale/host/fps_points.hpp>
#include <farpoint/scale/host/fps_rounds.hpp>
#include <farpoint/scale/tiles/tile_source.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Tuning of fps_shard() for tiles as ranks. A round is a pass over the tiles, not an exchange, so that longer messages
/// pay off: 5,000 samples of 64 tiles of 10,000 points take 1,672 reads of a tile, and 2,272 with the tuning for 64
/// ranks; one read per sample would be 5,000.
inline fps_shard_tuning fps_tiles_tuning(index_t tiles) noexcept {
  fps_shard_tuning tuning{1};
  tuning.groups = larger<index_t>(4, smaller<index_t>(64, 1024 / larger<index_t>(tiles, 1)));
  tuning.listed = 64;
  tuning.ahead = 4;
  return tuning;
}

/// State of a tile between rounds.
template <class Scalar>
struct fps_tile_state {
  Scalar cut;       ///< the tile's message has all candidates from this squared distance on
  bool was_read;    ///< the tile has a message
  bool has_sample;  ///< a point of the tile became a sample in the previous round
};

/// Workspace of fps_tiles().
template <class Scalar, int Dim>
struct fps_tiles_memory {
  fps_tile_state<Scalar>* tiles;
  vec<Scalar, Dim>* points;  ///< `[largest tile]`
  bytes rounds;              ///< fps_shard_memory
  std::size_t size;

  fps_tiles_memory(unsigned char* workspace, int threads, index_t count, index_t largest, index_t samples) noexcept {
    workspace_cutter cutter{workspace};
    tiles = cutter.take<fps_tile_state<Scalar>>(count);
    points = cutter.take<vec<Scalar, Dim>>(largest);
    rounds = cutter.take_workspace(of_rounds(nullptr, threads, count, largest, samples).size);
    size = cutter.used();
  }

  static fps_shard_memory<Scalar, Dim> of_rounds(unsigned char* memory, int threads, index_t count, index_t largest,
                                                 index_t samples) noexcept {
    return {memory, threads, static_cast<int>(count), largest, samples, fps_tiles_tuning(count)};
  }
};

/// One call: fps_shard() with a tile in place of a rank.
///
/// In each round a tile is read, its points are sorted into groups, and their distances lowered to the samples of the
/// previous round; its message lists the best candidates of each group. The messages of all tiles decide which
/// candidates become samples. A tile is not read if its message is known without it: no new sample lowers a distance
/// there, and its candidates are below the cut or were listed in an earlier round.
template <class Tiles>
class fps_tiles_task {
 public:
  using scalar = tile_scalar<Tiles>;
  static constexpr int dim = tile_point<typename Tiles::point>::dim;
  using extent = tile_extent<scalar, dim>;

  /// @param nearest  `[points]`: squared distances to the samples
  fps_tiles_task(host_exec exec, Tiles& tiles, span<extent const> extents, fps_params const& params,
                 fps_shard_output<scalar> const& output, span<scalar> nearest,
                 fps_tiles_memory<scalar, dim> const& memory) noexcept
      : exec_{exec},
        reader_{tiles, memory.points},
        extents_{extents.data()},
        count_{static_cast<index_t>(extents.size())},
        nearest_{nearest.data()},
        points_{static_cast<index_t>(nearest.size())},
        state_{memory.tiles},
        tuning_{fps_tiles_tuning(count_)},
        memory_{memory.of_rounds(memory.rounds.data(), resolve_threads(exec.threads), count_, largest_tile(extents),
                                 params.samples)},
        rounds_{static_cast<int>(count_), params, output, tuning_, memory_} {}

  /// @param first  index of the first sample; if its point is not finite, the finite point of lowest index is sampled
  result run(index_t first) {
    default_float_environment const environment;
    result done;
    if (rounds_.goes_on() && points_ > 0) done = take_first(first);
    while (done && has_first_ && rounds_.goes_on()) {
      for (index_t t = 0; t < count_ && done; ++t) done = list(t);
      samples_ = 0;
      ++number_;
      if (!done || rounds_.is_complete()) break;
      accept();
    }
    if (done) rounds_.finish();
    return done;
  }

  index_t reads() const noexcept { return reader_.reads(); }
  index_t rounds() const noexcept { return number_; }

 private:
  using view = point_view<scalar, dim>;
  using point = vec<scalar, dim>;
  using messages = fps_shard_messages<scalar, dim>;

  /// Finds the first sample: the requested point if it is finite, otherwise the finite point of lowest index.
  result take_first(index_t first) {
    index_t t = std::upper_bound(extents_, extents_ + count_, first,
                                 [](index_t index, extent const& one) { return index < one.first_index; }) -
                extents_ - 1;
    if (result const done = reader_.read(t); !done) return done;
    index_t at = first - extents_[t].first_index;
    if (!is_finite(reader_.points()[at])) {
      at = -1;
      for (t = 0; t < count_ && at < 0; ++t) {
        if (!has_points(t)) continue;
        if (result const done = reader_.read(t); !done) return done;
        for (index_t i = 0; i < extents_[t].size && at < 0; ++i) at = is_finite(reader_.points()[i]) ? i : -1;
        if (at >= 0) break;
      }
    }
    if (at < 0) return {};
    std::fill_n(nearest_, points_, not_yet_measured<scalar>);
    std::fill_n(state_, count_, fps_tile_state<scalar>{scalar(0), false, false});
    index_t const index = extents_[t].first_index + at;
    rounds_.write({not_yet_measured<scalar>, index});
    add_sample(index, {reader_.points()[at], not_yet_measured<scalar>});
    has_first_ = true;
    return {};
  }

  void add_sample(index_t index, fps_ball<dim, scalar> const& ball) noexcept {
    memory_.samples[samples_ / fps_bucket_group].set(static_cast<int>(samples_ % fps_bucket_group), ball);
    ++samples_;
    nearest_[index] = no_candidate<scalar>;
  }

  bool has_points(index_t t) const noexcept { return extents_[t].box.low[0] <= extents_[t].box.high[0]; }
  messages message(index_t t) const noexcept {
    return {memory_.received + static_cast<std::size_t>(t) * messages::bytes(tuning_), 1, tuning_};
  }

  /// True if a sample of the previous round is a point of the tile, or may lower a distance in it.
  /// @param largest  largest squared distance of the tile's points
  bool is_changed(index_t t, scalar largest) const noexcept {
    if (state_[t].has_sample) return true;
    for (std::uint32_t s = 0; s < samples_; ++s) {
      auto const ball = memory_.samples[s / fps_bucket_group].at(static_cast<int>(s % fps_bucket_group));
      if (extents_[t].box.distance2(ball.center) < smaller(ball.radius2, largest)) return true;
    }
    return false;
  }

  /// Brings the message of a tile up to date.
  result list(index_t t) {
    auto const mine = message(t);
    auto& state = state_[t];
    scalar largest = no_candidate<scalar>;
    for (index_t g = 0; g < tuning_.groups && state.was_read; ++g) largest = larger(largest, mine.group(g).largest);
    scalar const cut = rounds_.cut();
    if (state.was_read && (largest < cut || state.cut <= cut) && !is_changed(t, largest)) {
      shorten(mine, cut);
      state.cut = larger(state.cut, cut);
      return {};
    }
    bool const reads = has_points(t);
    if (reads) {
      if (result const done = reader_.read(t); !done) return done;
    }
    shard<view> const part{reads ? reader_.points() : view{}, extents_[t].first_index};
    fps_shard_points<view> points{exec_, part, tuning_, memory_};
    points.arrange();
    points.resume(nearest_ + part.first_index, samples_);
    points.list(cut, mine);
    points.save(nearest_ + part.first_index);
    state = {cut, true, false};
    return {};
  }

  /// Removes the candidates below the cut from an earlier message.
  void shorten(messages const& mine, scalar cut) const noexcept {
    for (index_t g = 0; g < tuning_.groups; ++g) {
      auto& group = mine.group(g);
      while (group.listed > 0 && mine.candidates(g)[group.listed - 1].ball.radius2 < cut) --group.listed;
      if (group.best.distance < cut) group.best = {};
    }
  }

  /// Accepts samples by the messages of all tiles.
  void accept() noexcept {
    rounds_.template accept<fps_shard_rule>(exec_, [this](index_t g, std::uint32_t, auto const& one) {
      add_sample(one.index, one.ball);
      state_[g / tuning_.groups].has_sample = true;
    });
  }

  host_exec exec_;
  tile_reader<Tiles> reader_;
  extent const* extents_;
  index_t count_;
  scalar* nearest_;
  index_t points_;
  fps_tile_state<scalar>* state_;
  fps_shard_tuning tuning_;
  fps_shard_memory<scalar, dim> memory_;
  fps_shard_rounds<scalar, dim> rounds_;

  bool has_first_ = false;     ///< the first sample was taken: some point is finite
  std::uint32_t samples_ = 0;  ///< samples of the previous round, in memory_.samples
  index_t number_ = 0;         ///< rounds so far
};

}  // namespace detail
FARPOINT_END_NAMESPACE

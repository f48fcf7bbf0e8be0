/// @file
/// What the ranks of fps_shard() tell each other, and what follows from it.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What changes the number of exchanges and their size, never a result.
struct fps_shard_tuning {
  index_t groups;             ///< of a rank's points, at most: neighbours, with a box around them
  std::uint32_t listed = 16;  ///< candidates that a group tells of, at most
  /// Candidates whose squared distance is smaller than the largest one by more than this factor wait. Larger, and fewer
  /// rounds accept more samples that turn out to be too many.
  double ahead = 2;
  index_t least_fill = 8;  ///< points of a bucket, if there are so many

  explicit fps_shard_tuning(int ranks) noexcept : groups{larger<index_t>(4, smaller<index_t>(64, 128 / ranks))} {}
};

/// What a rank says of its points before anything is sampled.
template <class Scalar, int Dim>
struct fps_shard_start {
  vec<Scalar, Dim> lowest_point;
  vec<Scalar, Dim> first_point;
  index_t lowest;               ///< index of its first finite point; -1: it has none
  std::uint64_t has_first;      ///< the first sample asked for is one of its points
  std::uint64_t first_counts;   ///< and finite
  std::uint64_t non_finite;     ///< points
  std::uint64_t chosen;         ///< entries of params.chosen that are its points
  std::uint64_t chosen_counts;  ///< and finite
};

/// The place of a candidate in the serial loop's order, as fps_key, for indices of 64 bits.
template <class Scalar>
struct fps_shard_key {
  Scalar distance = no_candidate<Scalar>;
  index_t index = 0;
};
/// Better.
template <class Scalar>
constexpr bool operator>(fps_shard_key<Scalar> const& a, fps_shard_key<Scalar> const& b) noexcept {
  return a.distance > b.distance || (a.distance == b.distance && a.index < b.index);
}

/// A candidate; its radius is its distance to the samples.
template <class Scalar, int Dim>
struct fps_shard_candidate {
  fps_ball<Dim, Scalar> ball;
  index_t index;  ///< in the whole cloud

  fps_shard_key<Scalar> key() const noexcept { return {ball.radius2, index}; }
};

/// Points of a rank that lie close together.
template <class Scalar, int Dim>
struct fps_shard_group {
  bounding_box<Scalar, Dim> box;  ///< of all candidates above the cut
  Scalar largest;                 ///< distance, also of what is below the cut; negative: no candidates
  fps_shard_key<Scalar> best;     ///< of the candidates above the cut
  fps_shard_key<Scalar> left;     ///< none of those that are not listed is better
  std::uint32_t listed;           ///< candidates, the best first
};

/// The rule of local maxima, for candidates that are listed and for those that are not: docs/scale.md.
struct fps_shard_rule {
  template <class Scalar, int Dim>
  static bool blocks(fps_shard_candidate<Scalar, Dim> const& other,
                     fps_shard_candidate<Scalar, Dim> const& mine) noexcept {
    return fps_blocks(other.ball, other.key(), mine.ball, mine.key());
  }
  /// Whether a candidate that the group does not list may block, if its box reaches into the ball.
  template <class Scalar, int Dim>
  static bool may_block(fps_shard_group<Scalar, Dim> const& group,
                        fps_shard_candidate<Scalar, Dim> const& mine) noexcept {
    return group.left > mine.key();
  }
  /// Where a candidate that became a sample lowers distances.
  template <class Scalar, int Dim>
  static fps_ball<Dim, Scalar> const& lowers(fps_shard_candidate<Scalar, Dim> const& sample) noexcept {
    return sample.ball;
  }
};

/// The messages of all ranks of a round: each has the rank's groups, and then their candidates.
template <class Scalar, int Dim>
class fps_shard_messages {
 public:
  using group_type = fps_shard_group<Scalar, Dim>;
  using candidate_type = fps_shard_candidate<Scalar, Dim>;

  fps_shard_messages() = default;
  /// @param memory  `[ranks, bytes(tuning)]`; null: of no use
  fps_shard_messages(unsigned char* memory, int ranks, fps_shard_tuning const& tuning) noexcept
      : memory_{memory}, ranks_{ranks}, groups_{tuning.groups}, listed_{tuning.listed}, bytes_{bytes(tuning)} {}

  /// Of a message.
  static std::size_t bytes(fps_shard_tuning const& tuning) noexcept {
    return candidates_at(tuning.groups) +
           static_cast<std::size_t>(tuning.groups) * tuning.listed * sizeof(candidate_type);
  }

  /// Groups of all ranks. Those that a rank has not are empty.
  index_t groups() const noexcept { return groups_ * ranks_; }
  /// Places for candidates in all of them.
  index_t places() const noexcept { return groups() * listed_; }

  group_type& group(index_t g) const noexcept {
    return reinterpret_cast<group_type*>(message(g / groups_))[g % groups_];
  }
  /// Those of group g.
  candidate_type* candidates(index_t g) const noexcept {
    unsigned char* const first = message(g / groups_) + candidates_at(groups_);
    return reinterpret_cast<candidate_type*>(first) + g % groups_ * listed_;
  }

  /// Whether candidate i of group g becomes a sample: nothing that is better can be inside of its ball.
  template <class Rule>
  bool is_sample(index_t g, std::uint32_t i) const noexcept {
    candidate_type const& mine = candidates(g)[i];
    // Most are kept by their neighbours.
    if (keeps<Rule>(g, mine)) return false;
    for (index_t other = 0; other < groups(); ++other) {
      if (other != g && keeps<Rule>(other, mine)) return false;
    }
    return true;
  }

 private:
  static std::size_t candidates_at(index_t groups) noexcept {
    return divide_up(static_cast<std::size_t>(groups) * sizeof(group_type), std::size_t{64}) * 64;
  }
  unsigned char* message(index_t rank) const noexcept { return memory_ + static_cast<std::size_t>(rank) * bytes_; }

  template <class Rule>
  bool keeps(index_t g, candidate_type const& mine) const noexcept {
    group_type const& one = group(g);
    if (!(one.best > mine.key())) return false;
    // The box is not farther away than any of them, bit by bit.
    if (!(one.box.distance2(mine.ball.centre) < mine.ball.radius2)) return false;
    if (Rule::may_block(one, mine)) return true;
    candidate_type const* const listed = candidates(g);
    for (std::uint32_t i = 0; i < one.listed && listed[i].key() > mine.key(); ++i) {
      if (Rule::blocks(listed[i], mine)) return true;
    }
    return false;
  }

  unsigned char* memory_ = nullptr;
  index_t ranks_ = 0;
  index_t groups_ = 0;
  index_t listed_ = 0;
  std::size_t bytes_ = 0;  ///< of a message
};

}  // namespace detail
FARPOINT_END_NAMESPACE

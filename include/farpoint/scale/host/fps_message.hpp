/// @file
/// Messages between the ranks of fps_shard(), and the rule by which candidates become samples.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Settings that change the number and size of exchanges, but never a result.
struct fps_shard_tuning {
  index_t groups;             ///< groups of neighboring points per rank, at most; each has a bounding box
  std::uint32_t listed = 16;  ///< candidates that a group lists, at most
  /// Factor between the largest squared distance and the smallest that is listed. A larger factor takes fewer rounds,
  /// which accept more samples beyond the requested number.
  double ahead = 2;
  index_t min_fill = 8;  ///< points per bucket, at least, if the part has enough

  explicit fps_shard_tuning(int ranks) noexcept : groups{larger<index_t>(4, smaller<index_t>(64, 128 / ranks))} {}
};

/// Message of each rank about its points before anything is sampled.
template <class Scalar, int Dim>
struct fps_shard_start {
  vec<Scalar, Dim> lowest_point;
  vec<Scalar, Dim> first_point;
  index_t lowest;               ///< index of the first finite point; -1 without one
  std::uint64_t has_first;      ///< the requested first sample is one of the rank's points
  std::uint64_t first_counts;   ///< and the point is finite
  std::uint64_t non_finite;     ///< number of non-finite points
  std::uint64_t chosen;         ///< number of entries of params.chosen among the rank's points
  std::uint64_t chosen_counts;  ///< number of such entries whose point is finite
};

/// Rank of a candidate in the order of the serial loop: fps_key with a 64-bit index.
template <class Scalar>
struct fps_shard_key {
  Scalar distance = no_candidate<Scalar>;
  index_t index = 0;
};
/// True if `a` precedes `b` in the serial loop: larger distance, then lower index.
template <class Scalar>
constexpr bool operator>(fps_shard_key<Scalar> const& a, fps_shard_key<Scalar> const& b) noexcept {
  return a.distance > b.distance || (a.distance == b.distance && a.index < b.index);
}

/// A candidate. The radius of its ball is the distance to its nearest sample.
template <class Scalar, int Dim>
struct fps_shard_candidate {
  fps_ball<Dim, Scalar> ball;
  index_t index;  ///< in the whole cloud

  fps_shard_key<Scalar> key() const noexcept { return {ball.radius2, index}; }
};

/// One group of a rank's neighboring points.
template <class Scalar, int Dim>
struct fps_shard_group {
  bounding_box<Scalar, Dim> box;  ///< around all candidates above the cut
  Scalar largest;  ///< largest squared distance, with candidates below the cut; negative without a candidate
  fps_shard_key<Scalar> best;  ///< best candidate above the cut
  fps_shard_key<Scalar> left;  ///< bound: no candidate that is not listed is better
  std::uint32_t listed;        ///< number of listed candidates; the best come first
};

/// The rule of local maxima for listed and unlisted candidates, see docs/scale.md.
struct fps_shard_rule {
  template <class Scalar, int Dim>
  static bool blocks(fps_shard_candidate<Scalar, Dim> const& other,
                     fps_shard_candidate<Scalar, Dim> const& mine) noexcept {
    return fps_blocks(other.ball, other.key(), mine.ball, mine.key());
  }
  /// True if an unlisted candidate of the group may block `mine`, given that the group's box reaches into the ball.
  template <class Scalar, int Dim>
  static bool may_block(fps_shard_group<Scalar, Dim> const& group,
                        fps_shard_candidate<Scalar, Dim> const& mine) noexcept {
    return group.left > mine.key();
  }
  /// Ball in which an accepted candidate lowers distances.
  template <class Scalar, int Dim>
  static fps_ball<Dim, Scalar> const& lowers(fps_shard_candidate<Scalar, Dim> const& sample) noexcept {
    return sample.ball;
  }
};

/// Messages of all ranks in one round. A message has the rank's groups, then their candidates.
template <class Scalar, int Dim>
class fps_shard_messages {
 public:
  using group_type = fps_shard_group<Scalar, Dim>;
  using candidate_type = fps_shard_candidate<Scalar, Dim>;

  fps_shard_messages() = default;
  /// @param memory  `[ranks, bytes(tuning)]`; if null, the object must not be used
  fps_shard_messages(unsigned char* memory, int ranks, fps_shard_tuning const& tuning) noexcept
      : memory_{memory}, ranks_{ranks}, groups_{tuning.groups}, listed_{tuning.listed}, bytes_{bytes(tuning)} {}

  /// Bytes per message.
  static std::size_t bytes(fps_shard_tuning const& tuning) noexcept {
    return candidates_at(tuning.groups) +
           static_cast<std::size_t>(tuning.groups) * tuning.listed * sizeof(candidate_type);
  }

  /// Number of groups of all ranks. Groups that a rank does not use are empty.
  index_t groups() const noexcept { return groups_ * ranks_; }
  /// Number of candidate slots of all groups.
  index_t places() const noexcept { return groups() * listed_; }

  group_type& group(index_t g) const noexcept {
    return reinterpret_cast<group_type*>(message(g / groups_))[g % groups_];
  }
  /// Listed candidates of group g.
  candidate_type* candidates(index_t g) const noexcept {
    unsigned char* const first = message(g / groups_) + candidates_at(groups_);
    return reinterpret_cast<candidate_type*>(first) + g % groups_ * listed_;
  }

  /// True if candidate i of group g becomes a sample: no better candidate can be inside its ball.
  template <class Rule>
  bool is_sample(index_t g, std::uint32_t i) const noexcept {
    candidate_type const& mine = candidates(g)[i];
    // A candidate of the own group blocks most candidates, so it is tested first.
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
    // Box distances round like point distances: none exceeds the distance to a point in the box, to the bit.
    if (!(one.box.distance2(mine.ball.center) < mine.ball.radius2)) return false;
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
  std::size_t bytes_ = 0;  ///< bytes per message
};

}  // namespace detail
FARPOINT_END_NAMESPACE

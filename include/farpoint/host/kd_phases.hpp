/// @file
/// Puts the finite points of a cloud in the order of a k-d tree, in phases that one host thread or several work on.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/host/kd_order.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory of kd_phases besides the points.
struct kd_parts {
  /// A unit's part of a cloud.
  struct part {
    index_t finite;
    index_t begin;  ///< finite points of the parts before it
  };

  part* parts;  ///< `[most_units]`; null: nothing is sorted
  std::uint32_t most_units;

  template <class Cutter>
  static kd_parts take(Cutter& cutter, std::uint32_t most_units) noexcept {
    return {cutter.template take<part>(most_units), most_units};
  }

  /// For one thread; -1: for the team.
  kd_parts of_rank(int rank) const noexcept {
    if (rank < 0 || parts == nullptr) return *this;
    return {parts + (most_units == 1 ? 0 : rank), 1};
  }
};

/// Copies the finite points of a cloud, and brings the copies in the order of kd_order. next() is called by one thread
/// while no other is in work(); after its 0 the order is there.
template <class Points, int Leaf>
class kd_phases {
 public:
  using point = kd_point<typename Points::scalar>;

  kd_phases() = default;
  /// @param sorted  `[points]`
  kd_phases(Points const& cloud, point* sorted, kd_parts const& memory) noexcept
      : cloud_{cloud}, sorted_{sorted}, memory_{memory} {
    units_ = static_cast<std::uint32_t>(std::clamp<index_t>(cloud_.size() / 2048, 1, memory_.most_units));
  }

  /// Of the first phase.
  std::uint32_t units() const noexcept { return units_; }
  /// Finite points, once the first phase is done.
  index_t size() const noexcept { return size_; }

  /// One unit of a phase. @param leave_out  `leave_out(i)` for each point that is not finite
  template <class LeaveOut>
  FARPOINT_NO_INLINE void work(std::uint32_t unit, LeaveOut const& leave_out) noexcept {
    switch (phase_) {
      case phase::count: return count(unit);
      case phase::list: return list(unit, leave_out);
      case phase::split: {
        node const n = node_of(unit);
        return order::split(sorted_ + n.first, n.count);
      }
      case phase::sort: {
        node const n = node_of(unit);
        return order::sort(sorted_ + n.first, n.count);
      }
    }
  }

  /// Units of the next phase; 0: the order is there.
  std::uint32_t next() noexcept {
    switch (phase_) {
      case phase::count:
        add_up_parts();
        phase_ = phase::list;
        return units_;
      case phase::list: return split_nodes(1);
      case phase::split: return split_nodes(2 * nodes_);
      case phase::sort: break;
    }
    return 0;
  }

 private:
  using order = kd_order<typename Points::scalar, Leaf>;
  enum class phase { count, list, split, sort };

  /// Of the tree.
  struct node {
    index_t first;
    index_t count;
  };

  index_t first_of(std::uint32_t unit) const noexcept { return cloud_.size() * unit / units_; }

  void count(std::uint32_t unit) noexcept {
    index_t finite = 0;
    for (index_t i = first_of(unit); i < first_of(unit + 1); ++i) finite += is_finite(cloud_[i]) ? 1 : 0;
    memory_.parts[unit].finite = finite;
  }

  void add_up_parts() noexcept {
    size_ = 0;
    for (std::uint32_t unit = 0; unit < units_; ++unit) {
      memory_.parts[unit].begin = size_;
      size_ += memory_.parts[unit].finite;
    }
  }

  template <class LeaveOut>
  void list(std::uint32_t unit, LeaveOut const& leave_out) noexcept {
    point* to = sorted_ + memory_.parts[unit].begin;
    for (index_t i = first_of(unit); i < first_of(unit + 1); ++i) {
      auto const p = cloud_[i];
      if (is_finite(p)) {
        *to++ = {p, static_cast<std::uint32_t>(i)};
      } else {
        leave_out(i);
      }
    }
  }

  /// Nodes are split, level by level, until there are enough for all threads; then each is sorted by one.
  std::uint32_t split_nodes(std::uint32_t nodes) noexcept {
    nodes_ = nodes;
    phase_ = nodes < units_ ? phase::split : phase::sort;
    return nodes;
  }

  /// A node of the level that has as many as there are units.
  node node_of(std::uint32_t unit) const noexcept {
    node n{0, size_};
    for (std::uint32_t half = nodes_ / 2; half > 0; half /= 2) {
      index_t const below = std::min(order::below(n.count), n.count);
      n = (unit & half) != 0 ? node{n.first + below, n.count - below} : node{n.first, below};
    }
    return n;
  }

  Points cloud_;
  point* sorted_ = nullptr;
  kd_parts memory_{};
  phase phase_ = phase::count;
  std::uint32_t units_ = 1;
  std::uint32_t nodes_ = 1;  ///< of the level that is being worked on
  index_t size_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

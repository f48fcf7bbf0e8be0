/// @file
/// Sorts the finite points of a cloud in k-d tree order, in phases shared by one or more host threads.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/host/kd_order.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory of kd_phases, except the points.
struct kd_parts {
  /// Part of a cloud that a unit processes.
  struct part {
    index_t counted;  ///< number of points that the last phase counted
    index_t begin;    ///< number of finite points in all parts before this one
  };

  part* parts;  ///< `[max_units]`; null if nothing is to be sorted
  std::uint32_t max_units;

  template <class Cutter>
  static kd_parts take(Cutter& cutter, std::uint32_t max_units) noexcept {
    return {cutter.template take<part>(max_units), max_units};
  }

  /// Memory for thread `rank` alone; for the team if `rank` is -1.
  kd_parts of_rank(int rank) const noexcept {
    if (rank < 0 || parts == nullptr) return *this;
    return {parts + (max_units == 1 ? 0 : rank), 1};
  }
};

/// Copies the finite points of a cloud and sorts the copies as kd_order does. One thread calls next() while no other is
/// in work(); when it returns 0, the order is complete.
///
/// Doubles are rounded to floats after subtracting a finite point from the middle of the cloud. Sorting records of 16
/// bytes instead of 28 takes two thirds of the time, and the order affects the speed of a search, never its result. If
/// rounding changes the distances of more than a few neighbors, the doubles themselves are sorted.
template <class Points, int Leaf>
class kd_phases {
 public:
  using scalar = typename Points::scalar;
  using point = kd_point<scalar>;
  /// Record of a point that is sorted as floats.
  using coarse_point = kd_point<float>;
  static constexpr bool has_coarse = sizeof(coarse_point) < sizeof(point);

  kd_phases() = default;
  /// @param sorted  `[points]`; smaller records occupy the end of the bytes of the finite points
  kd_phases(Points const& cloud, point* sorted, kd_parts const& memory) noexcept
      : cloud_{cloud}, sorted_{sorted}, memory_{memory} {
    units_ = static_cast<std::uint32_t>(std::clamp<index_t>(cloud_.size() / 2048, 1, memory_.max_units));
  }

  /// Number of units of the first phase.
  std::uint32_t units() const noexcept { return units_; }
  /// Number of finite points, once the first phase is done.
  index_t size() const noexcept { return size_; }
  /// First of the smaller records; null if the points themselves were sorted.
  coarse_point const* coarse_points() const noexcept { return is_coarse() ? coarse() : nullptr; }
  /// Index in the cloud of the point at position `i` of the order.
  FARPOINT_ALWAYS_INLINE std::uint32_t index(index_t i) const noexcept {
    return is_coarse() ? load(coarse() + i).index() : load(sorted_ + i).index();
  }
  FARPOINT_ALWAYS_INLINE vec<scalar, 3> at(index_t i) const noexcept {
    return is_coarse() ? cloud_[index_t{load(coarse() + i).index()}] : load(sorted_ + i).at();
  }

  /// Runs one unit of a phase. @param leave_out  `leave_out(i)`, called for each non-finite point
  template <class LeaveOut>
  FARPOINT_NO_INLINE void work(std::uint32_t unit, LeaveOut const& leave_out) noexcept {
    switch (phase_) {
      case phase::count: return count(unit);
      case phase::list: return is_coarse() ? list(coarse(), unit, leave_out) : list(sorted_, unit, leave_out);
      case phase::split:
      case phase::sort: return is_coarse() ? sort(coarse(), unit) : sort(sorted_, unit);
      case phase::check: return check(unit);
    }
  }

  /// Number of units of the next phase; 0 if the order is complete.
  std::uint32_t next() noexcept {
    switch (phase_) {
      case phase::count:
        add_up_parts();
        phase_ = phase::list;
        return units_;
      case phase::list: return split_nodes(1);
      case phase::split: return split_nodes(2 * nodes_);
      case phase::sort: phase_ = phase::check; return is_coarse() ? units_ : 0;
      case phase::check: break;
    }
    if (is_good_enough()) return 0;
    is_fine_ = true;
    phase_ = phase::list;
    return units_;
  }

 private:
  using order = kd_order<scalar, Leaf>;
  enum class phase { count, list, split, sort, check };

  /// Node of the tree: a range of records.
  struct node {
    index_t first;
    index_t count;
  };

  index_t first_of(std::uint32_t unit, index_t size) const noexcept { return size * unit / units_; }

  bool is_coarse() const noexcept { return has_coarse && !is_fine_; }
  coarse_point* coarse() const noexcept { return reinterpret_cast<coarse_point*>(sorted_ + size_) - size_; }

  /// Copies a record from memory that may hold another type later.
  template <class Record>
  FARPOINT_ALWAYS_INLINE static Record load(Record const* from) noexcept {
    Record record;
    std::memcpy(static_cast<void*>(&record), from, sizeof record);
    return record;
  }

  void count(std::uint32_t unit) noexcept {
    index_t finite = 0;
    for (index_t i = first_of(unit, cloud_.size()); i < first_of(unit + 1, cloud_.size()); ++i) {
      finite += is_finite(cloud_[i]) ? 1 : 0;
    }
    memory_.parts[unit].counted = finite;
  }

  void add_up_parts() noexcept {
    size_ = 0;
    for (std::uint32_t unit = 0; unit < units_; ++unit) {
      memory_.parts[unit].begin = size_;
      size_ += memory_.parts[unit].counted;
    }
    if (!is_coarse() || size_ == 0) return;
    index_t middle = cloud_.size() / 2;
    while (!is_finite(cloud_[middle])) middle = (middle + 1) % cloud_.size();
    origin_ = cloud_[middle];
  }

  /// Lists the finite points of a unit as records. Calls `leave_out` only the first time.
  template <class Record, class LeaveOut>
  void list(Record* records, std::uint32_t unit, LeaveOut const& leave_out) noexcept {
    Record* to = records + memory_.parts[unit].begin;
    for (index_t i = first_of(unit, cloud_.size()); i < first_of(unit + 1, cloud_.size()); ++i) {
      auto const p = cloud_[i];
      if (is_finite(p)) {
        *to++ = record_of<Record>(p, static_cast<std::uint32_t>(i));
      } else if (!is_fine_) {
        leave_out(i);
      }
    }
  }

  template <class Record>
  Record record_of(vec<scalar, 3> const& p, std::uint32_t index) const noexcept {
    if constexpr (std::is_same_v<Record, point>) {
      return {p, index};
    } else {
      vec<float, 3> from_origin{};
      for (int axis = 0; axis < 3; ++axis) from_origin[axis] = static_cast<float>(p[axis] - origin_[axis]);
      return {from_origin, index};
    }
  }

  template <class Coordinate>
  void sort(kd_point<Coordinate>* records, std::uint32_t unit) noexcept {
    node const n = node_of(unit);
    if (phase_ == phase::split) return kd_order<Coordinate, Leaf>::split(records + n.first, n.count);
    return kd_order<Coordinate, Leaf>::sort(records + n.first, n.count);
  }

  /// Counts the leaves whose first two points come less than half as far from each other when rounded to floats.
  void check(std::uint32_t unit) noexcept {
    if constexpr (has_coarse) {
      index_t lost = 0;
      for (index_t leaf = first_of(unit, size_ / Leaf); leaf < first_of(unit + 1, size_ / Leaf); ++leaf) {
        index_t const i = leaf * Leaf;
        // NaN if coordinates overflow a float.
        scalar const rounded = distance2(rounded_at(i), rounded_at(i + 1));
        if (!(4 * rounded >= distance2(at(i), at(i + 1)))) ++lost;
      }
      memory_.parts[unit].counted = lost;
    }
  }
  vec<scalar, 3> rounded_at(index_t i) const noexcept {
    vec<float, 3> const p = load(coarse() + i).at();
    return {{static_cast<scalar>(p[0]), static_cast<scalar>(p[1]), static_cast<scalar>(p[2])}};
  }

  /// True if rounding affected few pairs: a search may have to visit all points that become equal as floats.
  bool is_good_enough() const noexcept {
    index_t lost = 0;
    for (std::uint32_t unit = 0; unit < units_; ++unit) lost += memory_.parts[unit].counted;
    return lost <= size_ / Leaf / 256;
  }

  /// Starts a level of nodes. Levels are split until there are enough nodes for all threads; then one thread sorts each
  /// node.
  std::uint32_t split_nodes(std::uint32_t nodes) noexcept {
    nodes_ = nodes;
    phase_ = nodes < units_ ? phase::split : phase::sort;
    return nodes;
  }

  /// Node `unit` of the level that has nodes_ nodes.
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
  std::uint32_t nodes_ = 1;  ///< number of nodes of the current level
  index_t size_ = 0;
  bool is_fine_ = false;  ///< doubles are sorted, since rounding changed distances
  vec<scalar, 3> origin_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

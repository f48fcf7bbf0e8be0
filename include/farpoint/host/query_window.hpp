/// @file
/// Reorders queries of a host view so that successive queries are near one another.
#pragma once

#include <farpoint/host/curve_sort.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The queries of a view from one on, with indices that fit into 32 bits.
template <class Queries>
struct queries_from {
  using scalar = typename Queries::scalar;
  static constexpr int dim = Queries::dim;

  Queries const& cloud;
  index_t first;

  typename Queries::point operator[](index_t i) const noexcept { return cloud[first + i]; }
};

/// Successive queries of a view, sorted along a curve: at most `most`, which fit on a call's stack.
template <class Queries>
class query_window {
 public:
  /// @param first  index in the view; none before it is added
  query_window(Queries const& cloud, index_t first) noexcept : queries_{cloud, first} {}

  index_t size() const noexcept { return size_; }
  bool is_full() const noexcept { return size_ == most; }
  /// @param query  finite, and less than 2^32 behind the first
  void add(index_t query) noexcept { order_[size_++] = static_cast<std::uint32_t>(query - queries_.first); }
  void sort() noexcept {
    curve_sort<queries_from<Queries>, morton_curve>{queries_, order_, scratch_, size_, enough}.sort(0, size_);
  }
  /// The query at a place of the order.
  index_t operator[](index_t place) const noexcept { return queries_.first + index_t{order_[place]}; }

 private:
  static constexpr index_t most = 2048;
  static constexpr index_t enough = 16;  ///< queries of a cell that need no order

  queries_from<Queries> queries_;
  index_t size_ = 0;
  std::uint32_t order_[most];
  std::uint32_t scratch_[curve_sort<queries_from<Queries>, morton_curve>::scratch_words * most];
};

}  // namespace detail
FARPOINT_END_NAMESPACE

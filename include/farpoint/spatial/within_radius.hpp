/// @file
/// The points within a radius of a query, found by code for this processor and shown to a function of the caller's.
#pragma once

#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/spatial/point_bvh_traversal.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Collects the points within a radius, a visitor of point_bvh_ref::visit(), and shows some hundred at a time: the
/// caller's function is compiled for the caller's target, so the inner loop cannot call it.
template <class Scalar>
class within_collector {
 public:
  /// Shows points to an object whose type it knows.
  using show_function = void (*)(void const* object, std::uint32_t const* indices, Scalar const* distances2, int count);

  within_collector(Scalar radius2, show_function function, void const* object) noexcept
      : radius2_{radius2}, show_{function}, object_{object} {}

  FARPOINT_ALWAYS_INLINE std::uint32_t choose(point_boxes<Scalar> const& boxes,
                                              vec<Scalar, 3> const& q) const noexcept {
    return boxes_within(boxes, q, radius2_, no_index);
  }
  FARPOINT_ALWAYS_INLINE void look_at(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q) noexcept {
    Scalar distance[point_bvh_width];
    std::uint32_t const hits = leaf_distances(leaf, q, radius2_, distance);
    if (hits == 0) return;
    // Without a branch on the data: it would be mispredicted half of the time.
    FARPOINT_UNROLL
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      indices_[count_] = leaf.index[lane];
      distances2_[count_] = distance[lane];
      count_ += (hits >> lane & 1u) != 0 && leaf.index[lane] != no_index ? 1 : 0;
    }
    if (count_ > most) show();
  }

  void show() noexcept {
    show_(object_, indices_, distances2_, count_);
    count_ = 0;
  }

 private:
  static constexpr int most = 512;

  Scalar radius2_;
  show_function show_;
  void const* object_;
  int count_ = 0;
  std::uint32_t indices_[most + 2 * point_bvh_width];
  Scalar distances2_[most + 2 * point_bvh_width];
};

/// The search of within(), compiled for several processors.
template <class Bvh>
struct search_within {
  using collector = within_collector<typename Bvh::scalar>;
  using function = void (*)(Bvh const&, typename Bvh::point const&, collector&) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(Bvh const& bvh, typename Bvh::point const& q, collector& found) noexcept {
    // The boxes that are looked into depend on the radius alone: a leaf near q would gain nothing.
    bvh.visit(q, 0, found);
  }
};

/// point_bvh_ref::within() by code for this processor, which is looked at once.
template <class Bvh, class Function>
void within_on_this_processor(Bvh const& bvh, typename Bvh::point const& q, typename Bvh::scalar radius2,
                              Function& function) noexcept {
  using scalar = typename Bvh::scalar;
  static auto const run = isa_dispatch<search_within<Bvh>>();
  auto const call = [&function](std::uint32_t const* indices, scalar const* distances2, int count) {
    for (int i = 0; i < count; ++i) function(indices[i], distances2[i]);
  };
  auto const show = [](void const* object, auto... points) { (*static_cast<decltype(call)*>(object))(points...); };
  within_collector<scalar> found{radius2, show, &call};
  run(bvh, q, found);
  found.show();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

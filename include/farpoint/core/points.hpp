/// @file
/// A strided, non-owning view of points, and how containers of points are viewed.
#pragma once

#include <farpoint/core/float16.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/core/unaligned.hpp>

#include <array>
#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// The type that arithmetic on a coordinate is done in: float for float16 and float, double for double.
template <class Coord>
using scalar_of = std::conditional_t<std::is_same_v<Coord, double>, double, float>;

/// Non-owning view of `size()` points whose records are `stride` bytes apart, in host or device memory.
///
/// Covers float3 (12 B), float4 (16 B), nuScenes records (20 B), pcl::PointXYZI (32 B) and every PointCloud2, including
/// packed ones whose step is no multiple of 4: where the base, the stride or an offset is not aligned for `Coord`,
/// loads go byte by byte (an unaligned load faults on a GPU). A stride of 0 (one point repeated) or a negative stride
/// is allowed. Trivially copyable: pass it by value into kernels. operator[] is O(1), unchecked; thread-safe.
///
/// @tparam Coord  float, double or float16, little-endian in memory
/// @tparam Dim    coordinates per point, 1 to 16
template <class Coord = float, int Dim = 3>
class point_view {
  static_assert(std::is_same_v<Coord, float> || std::is_same_v<Coord, double> || std::is_same_v<Coord, float16>,
                "farpoint: coordinates are float, double or farpoint::float16, as which view_points() reads __half");

 public:
  using coord = Coord;
  using scalar = scalar_of<Coord>;
  using point = vec<scalar, Dim>;
  static constexpr int dim = Dim;

  constexpr point_view() = default;

  /// Points whose coordinate `axis` lies `offsets[axis]` bytes into each record.
  point_view(void const* base, index_t count, index_t stride, std::array<int, std::size_t{Dim}> const& offsets) noexcept
      : base_{static_cast<unsigned char const*>(base)}, count_{count}, stride_{stride} {
    auto misfit = reinterpret_cast<std::uintptr_t>(base) | static_cast<std::uintptr_t>(stride);
    for (int axis = 0; axis < Dim; ++axis) {
      offsets_[axis] = offsets[static_cast<std::size_t>(axis)];
      misfit |= static_cast<std::uintptr_t>(offsets_[axis]);
    }
    aligned_ = misfit % alignof(Coord) == 0;
  }

  /// Points whose coordinates follow one another from the start of each record.
  point_view(void const* base, index_t count, index_t stride = index_t{sizeof(Coord)} * Dim) noexcept
      : point_view{base, count, stride, consecutive(std::make_index_sequence<static_cast<std::size_t>(Dim)>{})} {}

  FARPOINT_HD constexpr index_t size() const noexcept { return count_; }
  FARPOINT_HD constexpr index_t stride() const noexcept { return stride_; }
  FARPOINT_HD constexpr unsigned char const* base() const noexcept { return base_; }
  /// Bytes from the start of a record to a coordinate.
  FARPOINT_HD constexpr int offset(int axis) const noexcept { return offsets_[axis]; }
  /// False when loads go byte by byte.
  FARPOINT_HD constexpr bool aligned() const noexcept { return aligned_; }

  /// The `count` points from `begin` on; unchecked.
  FARPOINT_HD constexpr point_view subview(index_t begin, index_t count) const noexcept {
    point_view part = *this;
    if (begin != 0) part.base_ += begin * stride_;
    part.count_ = count;
    return part;
  }

  FARPOINT_HD point operator[](index_t i) const noexcept {
    unsigned char const* const record = base_ + i * stride_;
    point p{};
    FARPOINT_UNROLL
    for (int axis = 0; axis < Dim; ++axis) {
      unsigned char const* const address = record + offsets_[axis];
      p[axis] = static_cast<scalar>(detail::load<Coord>(address, aligned_));
    }
    return p;
  }

 private:
  template <std::size_t... Axis>
  static constexpr std::array<int, sizeof...(Axis)> consecutive(std::index_sequence<Axis...>) noexcept {
    return {static_cast<int>(Axis * sizeof(Coord))...};
  }

  unsigned char const* base_ = nullptr;
  index_t count_ = 0;
  index_t stride_ = index_t{sizeof(Coord)} * Dim;
  int offsets_[std::size_t{Dim}] = {};
  bool aligned_ = true;
};

namespace detail {
/// True if two views are known to be of the same points.
template <class A, class B>
bool is_same_view(A const&, B const&) noexcept {
  return false;
}
template <class Coord, int Dim>
bool is_same_view(point_view<Coord, Dim> const& a, point_view<Coord, Dim> const& b) noexcept {
  bool same = a.base() == b.base() && a.size() == b.size() && a.stride() == b.stride();
  for (int axis = 0; axis < Dim; ++axis) same = same && a.offset(axis) == b.offset(axis);
  return same;
}
}  // namespace detail

/// Layout of the coordinates in a point type. Specialize it for your own type with `coord`, `dim` and
/// `static std::array<int, dim> offsets()` (bytes from the start of the record).
/// Known: std::array<Coord, N>, vec<Coord, N>, Coord[N], and every type with public members x, y, z of one coordinate
/// type (float3, float4, pcl::PointXYZ, pcl::PointXYZI, ...).
template <class Point, class = void>
struct point_layout;

namespace detail {
template <class Coord>
inline constexpr bool is_coord = std::is_same_v<Coord, float> || std::is_same_v<Coord, double> || is_binary16<Coord>;

template <class Coord, std::size_t Dim>
struct packed_layout {
  using coord = stored<Coord>;
  static constexpr int dim = static_cast<int>(Dim);
  static std::array<int, Dim> offsets() noexcept {
    std::array<int, Dim> offset{};
    for (std::size_t axis = 0; axis < Dim; ++axis) offset[axis] = static_cast<int>(axis * sizeof(Coord));
    return offset;
  }
};

template <class Point, class = void>
inline constexpr bool has_layout = false;
template <class Point>
inline constexpr bool has_layout<Point, std::void_t<typename point_layout<Point>::coord>> = true;
}  // namespace detail

template <class Coord, std::size_t N>
struct point_layout<std::array<Coord, N>, std::enable_if_t<detail::is_coord<Coord>>> : detail::packed_layout<Coord, N> {
};

template <class Coord, int Dim>
struct point_layout<vec<Coord, Dim>, std::enable_if_t<detail::is_coord<Coord>>>
    : detail::packed_layout<Coord, std::size_t{Dim}> {};

template <class Coord, std::size_t N>
struct point_layout<Coord[N], std::enable_if_t<detail::is_coord<Coord>>> : detail::packed_layout<Coord, N> {};

template <class Point>
struct point_layout<Point, std::enable_if_t<detail::is_coord<std::decay_t<decltype(std::declval<Point&>().x)>> &&
                                            std::is_same_v<decltype(Point::x), decltype(Point::y)> &&
                                            std::is_same_v<decltype(Point::x), decltype(Point::z)>>> {
  using coord = detail::stored<std::decay_t<decltype(std::declval<Point&>().x)>>;
  static constexpr int dim = 3;
  static std::array<int, 3> offsets() noexcept {
    Point const probe{};
    auto const from_start = [&probe](auto const& member) {
      return static_cast<int>(reinterpret_cast<char const*>(&member) - reinterpret_cast<char const*>(&probe));
    };
    return {from_start(probe.x), from_start(probe.y), from_start(probe.z)};
  }
};

/// View of the points at `data`, records of type `Point`, host or device memory.
template <class Point>
auto view_points(Point const* data, index_t count) noexcept {
  static_assert(detail::has_layout<Point>,
                "farpoint: no layout is known for this point type; specialize farpoint::point_layout for it");
  using layout = point_layout<Point>;
  return point_view<typename layout::coord, layout::dim>{data, count, index_t{sizeof(Point)}, layout::offsets()};
}

/// View of the points of a contiguous container: std::vector, std::array, a span, pcl::PointCloud::points, a Thrust or
/// RMM vector, and whatever else has data() and size(). Not of a temporary that owns them, see is_borrowed.
template <class Container, class = detail::element_of<Container>>
auto view_points(Container&& points) noexcept {
  FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  return view_points<std::remove_const_t<detail::element_of<Container>>>(detail::data_of(points),
                                                                         static_cast<index_t>(points.size()));
}

FARPOINT_END_NAMESPACE

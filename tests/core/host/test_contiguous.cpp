// Views and spans made of any type with data() and size(), and of half-precision numbers of any name.
#include <farpoint/core/features.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/knn.hpp>

#include <vector>

#include "../../support/catch.hpp"

// Stand-in for CUDA's __half, with the same memory layout.
struct __half {
  unsigned short bits;
};

using farpoint::index_t;
using farpoint::span;

namespace {

/// Pointer with the interface of thrust::device_ptr.
template <class T>
struct fancy_pointer {
  T* at;
  T* get() const { return at; }
  T& operator*() const { return *at; }
};

/// Vector with the interface of thrust::device_vector. Without `value_type`: the library must not need it.
template <class T>
class fancy_vector {
 public:
  explicit fancy_vector(std::size_t size) : values_(size) {}
  fancy_pointer<T> data() { return {values_.data()}; }
  fancy_pointer<T const> data() const { return {values_.data()}; }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<T> values_;
};

/// User-defined view with a signed size.
template <class T>
struct own_view {
  T* at;
  int count;
  T* data() const { return at; }
  int size() const { return count; }
};

struct half_point {
  int id;
  __half x, y, z;
};

struct point {
  float x, y, z;
};

template <class View, class... From>
inline constexpr bool is_made_of = std::is_constructible_v<View, From...>;

}  // namespace

// A fancy pointer may point to memory that the host cannot read.
template <class Container, class = void>
inline constexpr bool has_neighbors = false;
template <class Container>
inline constexpr bool
    has_neighbors<Container, std::void_t<decltype(farpoint::knn(std::declval<Container&>(), index_t{3}))>> = true;
static_assert(has_neighbors<std::vector<point>> && !has_neighbors<fancy_vector<point>>);

TEST_CASE("spans and views are made of whatever has data() and size()", "[core]") {
  fancy_vector<float> values(12);
  fancy_vector<std::int64_t> indices(5);
  fancy_vector<point> points(7);
  auto const& read_only = points;
  CHECK(span<float>{values}.data() == values.data().get());
  CHECK(span<float const>{values}.size() == 12);
  CHECK(farpoint::index_span{indices}.wide());
  CHECK(farpoint::index_view{indices}.size() == 5);
  CHECK(farpoint::feature_span{values}.size() == 12);
  CHECK(farpoint::view_points(points).size() == 7);
  CHECK(farpoint::view_points(read_only).base() == reinterpret_cast<unsigned char const*>(points.data().get()));

  // A view owns nothing, so a temporary view is accepted.
  CHECK(span<float>{own_view<float>{values.data().get(), 3}}.size() == 3);
  CHECK(farpoint::index_span{own_view<std::int64_t>{indices.data().get(), 2}}.size() == 2);
  CHECK(farpoint::view_points(own_view<point const>{points.data().get(), 4}).size() == 4);
  CHECK(farpoint::view_points(span<point>{points}).size() == 7);

  static_assert(!is_made_of<span<double>, fancy_vector<float>&> && !is_made_of<span<float>, int&>);
  static_assert(!is_made_of<span<float>, fancy_vector<float> const&> &&
                !is_made_of<span<float>, own_view<float const>>);
  // tests/build/compile_fail checks the compiler's message for an index_span of other elements.
  static_assert(!is_made_of<farpoint::index_view, fancy_vector<unsigned>&>);
  static_assert(!farpoint::is_borrowed<std::vector<int>> && !farpoint::is_borrowed<std::array<int, 2>>);
  static_assert(farpoint::is_borrowed<span<int>> && farpoint::is_borrowed<own_view<int>>);
}

TEST_CASE("half-precision numbers of any name are read as float16", "[core]") {
  std::vector<half_point> const records{{1, {0x3c00}, {0x4000}, {0xc200}}, {2, {0x3800}, {0x0001}, {0x7c00}}};
  auto const view = farpoint::view_points(records);
  static_assert(std::is_same_v<decltype(view), farpoint::point_view<farpoint::float16> const>);
  CHECK(view[0][0] == 1.0f);
  CHECK(view[0][1] == 2.0f);
  CHECK(view[0][2] == -3.0f);
  CHECK(view[1][0] == 0.5f);

  std::vector<std::array<__half, 2>> const pairs{{{{0x3c00}, {0x4000}}}};
  CHECK(farpoint::view_points(pairs)[0][1] == 2.0f);
  std::vector<__half> values{{0x3c00}, {0x4000}, {0x4200}, {0x4400}};
  auto const features = farpoint::feature_view::packed(values.data(), 2, 2);
  CHECK(features.type(0) == farpoint::feature_type::float16);
  CHECK(features(1, 0) == 3.0f);
  farpoint::feature_span const output{values};
  CHECK(output.is_float16());
  output.set(3, -2.0f);
  CHECK(values[3].bits == 0xc000);
}

// voxel_grid, and what voxelize() reads and writes features with.
#include <farpoint/core/features.hpp>
#include <farpoint/geometry/voxel_grid.hpp>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../../support/records.hpp"

#include <limits>

using namespace farpoint_tests;
using farpoint::feature_span;
using farpoint::feature_view;
using farpoint::float16;
using farpoint::vec;
using farpoint::voxel_grid;

namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

float float_of(std::uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("to_float16 undoes the widening of all 65,536 values", "[core]") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    float16 const value{static_cast<std::uint16_t>(bits)};
    auto const back = farpoint::to_float16(static_cast<float>(value));
    bool const nan = (bits & 0x7fffu) > 0x7c00u;
    // A NaN becomes quiet.
    CHECK(back.bits == (nan ? bits | 0x200u : bits));
  }
}

TEST_CASE("to_float16 rounds to nearest, ties to even", "[core]") {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    // Halfway to the next one, and one float to both sides of it. Exact: a half has 11 bits, a float 24.
    auto const low = static_cast<float>(float16{static_cast<std::uint16_t>(bits)});
    auto const high = static_cast<float>(float16{static_cast<std::uint16_t>(bits + 1)});
    float const middle = low + (high - low) / 2;
    CHECK(farpoint::to_float16(middle).bits == bits + (bits & 1u));
    CHECK(farpoint::to_float16(std::nextafter(middle, 0.0f)).bits == bits);
    CHECK(farpoint::to_float16(std::nextafter(middle, 1e6f)).bits == bits + 1);
    CHECK(farpoint::to_float16(-middle).bits == (0x8000u | (bits + (bits & 1u))));
  }
}

TEST_CASE("to_float16 at the ends of its range", "[core]") {
  CHECK(farpoint::to_float16(65504.0f).bits == 0x7bff);
  CHECK(farpoint::to_float16(std::nextafter(65520.0f, 0.0f)).bits == 0x7bff);
  CHECK(farpoint::to_float16(65520.0f).bits == 0x7c00);
  CHECK(farpoint::to_float16(-3e38f).bits == 0xfc00);
  CHECK(farpoint::to_float16(std::numeric_limits<float>::infinity()).bits == 0x7c00);
  CHECK(farpoint::to_float16(0x1p-25f).bits == 0);
  CHECK(farpoint::to_float16(std::nextafter(0x1p-25f, 1.0f)).bits == 1);
  CHECK(farpoint::to_float16(float_of(1)).bits == 0);
  CHECK(farpoint::to_float16(-0.0f).bits == 0x8000);
  CHECK(farpoint::to_float16(float_of(0x7f800001u)).bits == 0x7e00);
  CHECK(farpoint::to_float16(float_of(0xffc00000u)).bits == 0xfe00);
}

TEST_CASE("to_float16 equals another implementation on random floats", "[core]") {
  random_source random{1};
  for (int i = 0; i < 300000; ++i) {
    float const value = float_of(static_cast<std::uint32_t>(random.next()));
    if (std::isnan(value)) continue;
    if (farpoint::to_float16(value).bits != to_float16(value).bits) FAIL(bits_of(value));
  }
}

TEST_CASE("feature_view reads any record, aligned or not", "[core]") {
  for (int const stride : {20, 22, 18, 32, 17}) {
    for (std::size_t const shift : {0u, 1u, 2u, 4u}) {
      for (bool const halves : {false, true}) {
        CAPTURE(stride, shift, halves);
        std::vector<unsigned char> memory(shift + 10 * static_cast<std::size_t>(stride));
        int const offsets[] = {12, 0, 7};
        auto const value_of = [](int record, int f) { return static_cast<float>(record * 4 - f) + 0.5f; };
        for (int record = 0; record < 10; ++record) {
          for (int f = 0; f < 3; ++f) {
            unsigned char* const at = &memory[shift + static_cast<std::size_t>(record * stride + offsets[f])];
            float const value = value_of(record, f);
            float16 const narrow = farpoint::to_float16(value);
            halves ? std::memcpy(at, &narrow, 2) : std::memcpy(at, &value, 4);
          }
        }
        auto const* const base = memory.data() + shift;
        auto const view = halves ? feature_view::fields<float16>(base, 10, stride, offsets, 3)
                                 : feature_view::fields<float>(base, 10, stride, offsets, 3);
        CHECK(view.size() == 10);
        CHECK(view.count() == 3);
        CHECK(view.type(1) == (halves ? farpoint::feature_type::float16 : farpoint::feature_type::float32));
        for (int record = 0; record < 10; ++record) {
          float values[3];
          view.read(record, values);
          for (int f = 0; f < 3; ++f) {
            CHECK(view(record, f) == value_of(record, f));
            CHECK(values[f] == value_of(record, f));
          }
        }
      }
    }
  }
}

TEST_CASE("feature_view reads every type as the nearest float or double", "[core]") {
  using farpoint::feature_type;
  constexpr int size = 48;
  constexpr feature_type types[] = {feature_type::float32, feature_type::float16, feature_type::float64,
                                    feature_type::int8,    feature_type::uint8,   feature_type::int16,
                                    feature_type::uint16,  feature_type::int32,   feature_type::uint32,
                                    feature_type::int64,   feature_type::uint64};
  constexpr int offsets[] = {0, 4, 6, 14, 15, 16, 18, 20, 24, 32, 40};
  // Aligned for all, for some and for none.
  for (int const stride : {size, size + 2, size + 1}) {
    std::vector<double> memory(20);
    auto* const base = reinterpret_cast<unsigned char*>(memory.data());
    auto const put = [&](int record, int f, auto value) {
      std::memcpy(base + record * stride + offsets[f], &value, sizeof value);
    };
    constexpr double doubles[] = {16777217.0, -1e300, 0x1p-149 * 0.51};
    constexpr std::int64_t longs[] = {std::numeric_limits<std::int64_t>::min(), 16777217, -16777219};
    constexpr float nearest_longs[] = {-0x1p63f, 16777216.0f, -16777220.0f};
    // In the last but one, bits far below what a float holds decide.
    constexpr std::uint64_t unsigned_longs[] = {std::numeric_limits<std::uint64_t>::max(),
                                                (1ull << 63) + (1ull << 39) + 1, (1ull << 63) + (1ull << 39)};
    constexpr float nearest_unsigned[] = {0x1p64f, 0x1.000002p63f, 0x1p63f};
    constexpr float nearest[] = {16777216.0f, -std::numeric_limits<float>::infinity(), 0x1p-149f};
    for (int r = 0; r < 3; ++r) {
      put(r, 0, 1.5f + static_cast<float>(r));
      put(r, 1, farpoint::to_float16(-2.25f));
      put(r, 2, doubles[r]);
      put(r, 3, static_cast<std::int8_t>(-128 + r));
      put(r, 4, static_cast<std::uint8_t>(255 - r));
      put(r, 5, static_cast<std::int16_t>(-32768 + r));
      put(r, 6, static_cast<std::uint16_t>(65535 - r));
      put(r, 7, static_cast<std::int32_t>(-2147483647 - 1 + r));
      put(r, 8, static_cast<std::uint32_t>(4294967295u - static_cast<unsigned>(r)));
      put(r, 9, longs[r]);
      put(r, 10, unsigned_longs[r]);
    }
    auto const view = feature_view::fields(base, 3, stride, offsets, types, 11);
    CHECK_FALSE(view.is_plain());
    for (int r = 0; r < 3; ++r) {
      auto const shift = static_cast<float>(r);
      float const expected[] = {1.5f + shift, -2.25f,           nearest[r],         -128 + shift,
                                255 - shift,  -32768 + shift,   65535 - shift,      -0x1p31f,
                                0x1p32f,      nearest_longs[r], nearest_unsigned[r]};
      float values[11];
      view.read(r, values);
      for (int f = 0; f < 11; ++f) {
        CAPTURE(stride, r, f);
        CHECK(view(r, f) == expected[f]);
        CHECK(values[f] == expected[f]);
      }
      // All but integers of 64 bits fit in a double.
      double const wide[] = {1.5 + r,
                             -2.25,
                             doubles[r],
                             -128.0 + r,
                             255.0 - r,
                             -32768.0 + r,
                             65535.0 - r,
                             -0x1p31 + r,
                             0x1p32 - 1 - r,
                             static_cast<double>(longs[r]),
                             static_cast<double>(unsigned_longs[r])};
      double doubles_read[11];
      view.read(r, doubles_read);
      for (int f = 0; f < 11; ++f) {
        CAPTURE(stride, r, f);
        CHECK(view.column(f).get<double>(r) == wide[f]);
        CHECK(doubles_read[f] == wide[f]);
      }
    }
  }
  double const nan[] = {-std::numeric_limits<double>::quiet_NaN()};
  CHECK(bits_of(feature_view::packed(nan, 1, 1)(0, 0)) == 0x7fc00000u);
  float const narrow_nan[] = {-std::numeric_limits<float>::quiet_NaN()};
  double const widened = feature_view::packed(narrow_nan, 1, 1).column(0).get<double>(0);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &widened, sizeof bits);
  CHECK(bits == 0x7ff8000000000000u);
}

TEST_CASE("features that are floats are distinguished from those that must be converted", "[core]") {
  std::vector<float> const values(8);
  constexpr int offsets[] = {0, 4};
  CHECK(feature_view::packed(values.data(), 4, 2).is_plain());
  CHECK_FALSE(feature_view::fields<float>(values.data(), 3, 9, offsets, 2).is_plain());
  CHECK_FALSE(feature_view::fields<std::int32_t>(values.data(), 4, 8, offsets, 2).is_plain());
  constexpr farpoint::feature_type types[] = {farpoint::feature_type::float32, farpoint::feature_type::uint8};
  CHECK_FALSE(feature_view::fields(values.data(), 4, 8, offsets, types, 2).is_plain());
}

TEST_CASE("packed features, with and without a stride", "[core]") {
  std::vector<float> values(30);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  CHECK(feature_view::packed(values.data(), 10, 3)(4, 2) == 14);
  CHECK(feature_view::packed(values.data(), 6, 3, 20)(4, 2) == 22);
  CHECK(feature_view::packed(values.data(), 10, 65).count() == 65);  // refused by every call, and no overrun here
  CHECK(feature_view{}.count() == 0);
}

TEST_CASE("feature_span writes both types", "[core]") {
  std::vector<float> wide(4, -1);
  std::vector<float16> narrow(4, float16{0});
  float const values[] = {1.5f, -0.0f, 70000};
  for (feature_span const span : {feature_span{wide}, feature_span{narrow}}) {
    CHECK(span.size() == 4);
    span.set(0, 0.25f);
    span.write(1, values, 3);
  }
  CHECK(wide == std::vector<float>{0.25f, 1.5f, -0.0f, 70000});
  CHECK(narrow[0].bits == 0x3400);
  CHECK(narrow[1].bits == 0x3e00);
  CHECK(narrow[2].bits == 0x8000);
  CHECK(narrow[3].bits == 0x7c00);
  CHECK(feature_span{}.empty());
}

TEST_CASE("basic_feature_span of doubles writes all three types, and says as what values are computed", "[core]") {
  using range = farpoint::basic_feature_span<double>;
  std::vector<double> doubles(4, -1);
  std::vector<float> floats(4, -1);
  std::vector<float16> halves(4, float16{0});
  double const values[] = {1.5, 16777217, 5400000.25};
  for (range const span : {range{doubles}, range{feature_span{floats}}, range{halves}}) {
    CHECK(span.size() == 4);
    span.set(0, 0.25);
    span.write(1, values, 3);
    CHECK(span.get(1) == 1.5);
    CHECK(span.computed_as<double>().empty() == !span.is_float64());
    CHECK(span.computed_as<float>().empty() == span.is_float64());
  }
  CHECK(doubles == std::vector<double>{0.25, 1.5, 16777217, 5400000.25});
  CHECK(floats == std::vector<float>{0.25f, 1.5f, 16777216, 5400000});
  CHECK(halves[1].bits == 0x3e00);
  CHECK_FALSE(std::is_constructible_v<feature_span, std::vector<double>&>);
  CHECK(std::is_same_v<decltype(feature_span{floats}.computed_as<float>()), feature_span const&>);
}

TEST_CASE("a grid from a range has the number of voxels that detectors expect", "[voxelize]") {
  using grid = voxel_grid<float>;
  auto const dims = [](grid const& g) { return std::array<int, 3>{g.dims[0], g.dims[1], g.dims[2]}; };
  CHECK(dims(grid::from_range({{-54, -54, -5}}, {{54, 54, 3}}, {{0.075f, 0.075f, 0.2f}})) ==
        std::array<int, 3>{1440, 1440, 40});
  CHECK(dims(grid::from_range({{0, -39.68f, -3}}, {{69.12f, 39.68f, 1}}, {{0.16f, 0.16f, 4}})) ==
        std::array<int, 3>{432, 496, 1});
  CHECK(dims(grid::from_range({{-51.2f, -51.2f, -5}}, {{51.2f, 51.2f, 3}}, {{0.1f, 0.1f, 0.2f}})) ==
        std::array<int, 3>{1024, 1024, 40});
  // Where the size does not divide the range, the grid ends below or above it.
  CHECK(dims(grid::from_range({{0, 0, 0}}, {{10, 11, 1}}, {{3, 3, 1}})) == std::array<int, 3>{3, 4, 1});
  // Nothing that a grid can have becomes 0, which every call refuses.
  CHECK(dims(grid::from_range({{0, 0, 0}}, {{-1, 0.25f, 1e30f}}, {{1, 1, 1}})) == std::array<int, 3>{0, 0, 0});
  CHECK(dims(grid::from_range({{0, 0, 0}}, {{1, std::nanf(""), 1}}, {{0, 1, -1}})) == std::array<int, 3>{0, 0, 0});
}

TEST_CASE("voxel_of floors, and refuses the upper bound", "[voxelize]") {
  voxel_grid<float> const grid{{{-2, 0, 0}}, {{0.5f, 1, 1}}, {{8, 1, 1}}};
  vec<std::int32_t> voxel{};
  auto const x_of = [&](float x) { return voxel_of(grid, {{x, 0, 0}}, voxel) ? voxel[0] : -1; };
  CHECK(x_of(-2) == 0);
  CHECK(x_of(std::nextafter(-2.0f, -9.0f)) == -1);
  CHECK(x_of(std::nextafter(-1.5f, -9.0f)) == 0);
  CHECK(x_of(-1.5f) == 1);
  CHECK(x_of(-0.0f) == 4);
  CHECK(x_of(1.99999f) == 7);
  CHECK(x_of(std::nextafter(2.0f, 0.0f)) == -1);  // the difference rounds to 4, the upper bound
  CHECK(x_of(2) == -1);
  CHECK(x_of(3e38f) == -1);
  CHECK(x_of(-3e38f) == -1);
  CHECK(x_of(std::nanf("")) == -1);
  CHECK(x_of(HUGE_VALF) == -1);
  CHECK_FALSE(voxel_of(grid, {{0, std::nanf(""), 0}}, voxel));
  CHECK_FALSE(voxel_of(grid, {{0, 0, 1}}, voxel));
  // A quotient of 2^31 and more does not wrap around.
  voxel_grid<double> const fine{{{0, 0, 0}}, {{1e-9, 1, 1}}, {{2147483647, 1, 1}}};
  vec<std::int32_t> far{};
  CHECK_FALSE(voxel_of(fine, {{4.3, 0, 0}}, far));
  CHECK_FALSE(voxel_of(fine, {{2.147483648, 0, 0}}, far));
  CHECK(voxel_of(fine, {{2.1474836, 0, 0}}, far));
}

TEST_CASE("voxel_of divides: a product with 1 / size puts points at borders into other voxels", "[voxelize]") {
  for (float const size : {0.1f, 0.075f, 0.32f, 1.0f / 3}) {
    voxel_grid<float> const grid{{{-54, 0, 0}}, {{size, 1, 1}}, {{1440, 1, 1}}};
    int moved = 0;
    for (int i = 0; i < 300; ++i) {
      float const border = -54 + static_cast<float>(i) * size;
      for (float const x : {std::nextafter(border, -99.0f), border, std::nextafter(border, 99.0f)}) {
        // In double the quotient of two floats is as good as exact: rounded once more, it is the float quotient.
        double const quotient = static_cast<double>(x + 54.0f) / static_cast<double>(size);
        auto const expected = static_cast<std::int32_t>(std::floor(static_cast<float>(quotient)));
        vec<std::int32_t> voxel{};
        bool const inside = voxel_of(grid, {{x, 0, 0}}, voxel);
        CAPTURE(size, i, x);
        CHECK(inside == (expected >= 0));
        if (!inside) continue;
        CHECK(voxel[0] == expected);
        float const reciprocal = 1 / size;
        moved += static_cast<std::int32_t>((x + 54.0f) * reciprocal) != expected ? 1 : 0;
      }
    }
    CHECK(moved > 0);
  }
}

TEST_CASE("the number of voxels in a grid, up to where it overflows", "[voxelize]") {
  auto const cells = [](std::int32_t x, std::int32_t y, std::int32_t z) {
    return voxel_grid<float>{{}, {{1, 1, 1}}, {{x, y, z}}}.cells();
  };
  constexpr std::int32_t most = 2147483647;
  CHECK(cells(1, 1, 1) == 1);
  CHECK(cells(1440, 1440, 40) == 82944000);
  CHECK(cells(most, most, 1) == 4611686014132420609u);
  CHECK(cells(most, most, 2) == 9223372028264841218u);  // below 2^63
  CHECK(cells(1 << 30, 1 << 30, 8) == 0);               // 2^63
  CHECK(cells(1 << 30, 1 << 30, 7) == 7 * (std::uint64_t{1} << 60));
  CHECK(cells(most, most, 3) == 0);
  CHECK(cells(most, most, most) == 0);
  CHECK(cells(0, 5, 5) == 0);
  CHECK(cells(5, -5, 5) == 0);
}

TEST_CASE("voxel_at undoes cell_of, and x runs fastest", "[voxelize]") {
  voxel_grid<float> const small{{}, {{1, 1, 1}}, {{3, 4, 5}}};
  for (std::uint64_t cell = 0; cell < small.cells(); ++cell) {
    auto const at = voxel_at(small, cell);
    CHECK(cell_of(small, at) == cell);
    CHECK(static_cast<std::uint64_t>(at[0] + 3 * (at[1] + 4 * at[2])) == cell);
  }
  voxel_grid<double> const large{{}, {{1, 1, 1}}, {{2147483647, 2147483647, 2}}};
  vec<std::int32_t> const corner{{2147483646, 2147483646, 1}};
  CHECK(cell_of(large, corner) == large.cells() - 1);
  CHECK(voxel_at(large, large.cells() - 1)[1] == 2147483646);
}

// zbuffer_ref on one host thread and on many: the source that runs in kernels. ThreadSanitizer builds run it too.
#include <farpoint/core/points.hpp>
#include <farpoint/spatial/zbuffer.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <tuple>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../../support/together.hpp"

using namespace farpoint_tests;
using farpoint::camera_pixel;
using farpoint::index_t;
using farpoint::pinhole_camera;
using farpoint::spherical_camera;
using farpoint::zbuffer_point;
using farpoint::zbuffer_ref;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Memory with a cleared z-buffer in it.
class owned_zbuffer {
 public:
  owned_zbuffer(std::int32_t width, std::int32_t height)
      : words_(static_cast<std::size_t>(zbuffer_ref::words(width, height)), 12345),
        zbuffer_{{words_.data(), words_.size()}, width, height} {
    zbuffer_.clear();
  }
  zbuffer_ref get() const { return zbuffer_; }
  std::vector<std::uint64_t> const& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
  zbuffer_ref zbuffer_;
};

struct offer {
  index_t pixel;
  float depth;
  std::uint32_t index;
};

/// Few depths and few pixels, so that there are ties.
std::vector<offer> make_offers(std::uint64_t seed, std::size_t count, index_t pixels) {
  random_source random{seed};
  std::vector<offer> offers(count);
  for (std::size_t i = 0; i < count; ++i) {
    float const depth = static_cast<float>(random.below(50)) * 0.37f;
    offers[i] = {random.below(pixels), depth, static_cast<std::uint32_t>(i)};
  }
  return offers;
}

/// Returns the front point of each pixel, found by sorting.
std::vector<zbuffer_point> front_points(std::vector<offer> offers, index_t pixels) {
  std::sort(offers.begin(), offers.end(), [](offer const& a, offer const& b) {
    return std::tie(a.pixel, a.depth, a.index) < std::tie(b.pixel, b.depth, b.index);
  });
  std::vector<zbuffer_point> fronts(static_cast<std::size_t>(pixels));
  for (auto const& one : offers) {
    auto& front = fronts[static_cast<std::size_t>(one.pixel)];
    if (!front.exists()) front = {one.depth, one.index};
  }
  return fronts;
}

bool same(zbuffer_point const& a, zbuffer_point const& b) {
  return a.depth == b.depth && a.index == b.index;
}

void check_fronts(zbuffer_ref zbuffer, std::vector<zbuffer_point> const& expected) {
  REQUIRE(zbuffer.size() == static_cast<index_t>(expected.size()));
  for (index_t pixel = 0; pixel < zbuffer.size(); ++pixel) {
    if (!same(zbuffer.front(pixel), expected[static_cast<std::size_t>(pixel)])) FAIL("pixel " << pixel);
  }
}

std::vector<std::array<float, 3>> make_cloud(std::uint64_t seed, std::size_t count) {
  random_source random{seed};
  std::vector<std::array<float, 3>> cloud(count);
  // On a lattice, so that depths are equal often.
  for (auto& point : cloud) {
    for (auto& c : point) c = static_cast<float>(random.below(41) - 20) * 0.25f;
    if (random.below(50) == 0) point[static_cast<std::size_t>(random.below(3))] = std::nanf("");
  }
  return cloud;
}

template <class Camera>
void check_drawing(Camera const& camera, std::uint64_t seed) {
  CAPTURE(seed);
  auto const cloud = make_cloud(seed, 20000);
  auto const points = farpoint::view_points(cloud);
  std::vector<offer> offers;
  for (index_t i = 0; i < points.size(); ++i) {
    camera_pixel<float> pixel{};
    if (!camera.project(points[i], pixel, i)) continue;
    offers.push_back({index_t{pixel.y} * camera.width + pixel.x, pixel.depth, static_cast<std::uint32_t>(i)});
  }
  CHECK(offers.size() > 1000);
  auto const expected = front_points(offers, zbuffer_ref::words(camera.width, camera.height));

  owned_zbuffer const alone{camera.width, camera.height};
  farpoint::draw_points(camera, points, 0, points.size(), alone.get());
  check_fronts(alone.get(), expected);
  for (int const threads : {2, 5}) {
    owned_zbuffer const shared{camera.width, camera.height};
    together(threads, [&](int rank) {
      farpoint::draw_points(camera, points, points.size() * rank / threads, points.size() * (rank + 1) / threads,
                            shared.get());
    });
    CHECK(shared.words() == alone.words());
  }
}

}  // namespace

TEST_CASE("zbuffer_ref: words are in the order of depth, then index", "[spatial][zbuffer]") {
  float const depths[] = {0.0f,
                          std::numeric_limits<float>::denorm_min(),
                          std::numeric_limits<float>::min(),
                          1.0f,
                          std::nextafter(1.0f, 2.0f),
                          std::numeric_limits<float>::max(),
                          infinity};
  std::uint32_t const indices[] = {0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  std::uint64_t last = 0;
  bool first = true;
  for (float const depth : depths) {
    for (std::uint32_t const index : indices) {
      std::uint64_t const word = zbuffer_ref::word_of(depth, index);
      CHECK((first || word > last));
      CHECK(word < zbuffer_ref::clear_value);
      CHECK(same(zbuffer_ref::point_of(word), {depth, static_cast<index_t>(index)}));
      last = word;
      first = false;
    }
  }
  CHECK(zbuffer_ref::word_of(-0.0f, 3) == zbuffer_ref::word_of(0.0f, 3));
}

TEST_CASE("zbuffer_ref: hostile depths", "[spatial][zbuffer]") {
  owned_zbuffer const owner{1, 1};
  auto const zbuffer = owner.get();
  CHECK_FALSE(zbuffer.front(0).exists());
  CHECK(zbuffer.front(0).depth == infinity);
  for (float const depth :
       {std::nanf(""), -std::nanf(""), -1.0f, -infinity, -std::numeric_limits<float>::denorm_min()}) {
    zbuffer.offer(0, depth, 0);
    CHECK_FALSE(zbuffer.front(0).exists());
  }
  zbuffer.offer(0, infinity, 0xffffffffu);
  CHECK(same(zbuffer.front(0), {infinity, 0xffffffff}));
  zbuffer.offer(0, 2, 7);
  zbuffer.offer(0, 2, 9);
  CHECK(same(zbuffer.front(0), {2, 7}));
  zbuffer.offer(0, 2, 4);
  CHECK(same(zbuffer.front(0), {2, 4}));
  zbuffer.offer(0, std::nextafter(2.0f, 3.0f), 0);
  CHECK(same(zbuffer.front(0), {2, 4}));
  zbuffer.offer(0, std::nextafter(2.0f, 1.0f), 90);
  CHECK(zbuffer.front(0).index == 90);
  zbuffer.offer(0, -0.0f, 5);
  zbuffer.offer(0, 0.0f, 6);
  CHECK(same(zbuffer.front(0), {0, 5}));
  zbuffer.clear(0);
  CHECK_FALSE(zbuffer.front(0).exists());
}

TEST_CASE("zbuffer_ref: the front-most point of each pixel, in any order of offers", "[spatial][zbuffer]") {
  for (std::int32_t const width : {1, 13, 8192}) {
    for (std::uint64_t const seed : {1u, 2u, 3u}) {
      CAPTURE(width, seed);
      index_t const pixels = zbuffer_ref::words(width, 3);
      auto offers = make_offers(seed, 20000, pixels);
      auto const expected = front_points(offers, pixels);
      owned_zbuffer const forwards{width, 3};
      for (auto const& one : offers) forwards.get().offer(one.pixel, one.depth, one.index);
      check_fronts(forwards.get(), expected);
      std::reverse(offers.begin(), offers.end());
      owned_zbuffer const backwards{width, 3};
      for (auto const& one : offers) backwards.get().offer(one.pixel, one.depth, one.index);
      CHECK(backwards.words() == forwards.words());
    }
  }
}

TEST_CASE("zbuffer_ref: threads that race for few pixels leave what one thread does", "[spatial][zbuffer]") {
  for (std::int32_t const width : {1, 16}) {
    for (int const threads : {2, 4, 8}) {
      CAPTURE(width, threads);
      auto const offers = make_offers(40 + static_cast<std::uint64_t>(threads), 40000, width);
      owned_zbuffer const owner{width, 1};
      std::atomic<int> receded{0};
      together(threads, [&](int rank) {
        float seen = infinity;
        // The highest indices first: of equal depths, each is news.
        for (auto i = offers.size() - 1 - static_cast<std::size_t>(rank); i < offers.size();
             i -= static_cast<std::size_t>(threads)) {
          owner.get().offer(offers[i].pixel, offers[i].depth, offers[i].index);
          float const front = owner.get().front(0).depth;
          if (front > seen) ++receded;
          seen = front;
        }
      });
      CHECK(receded == 0);
      check_fronts(owner.get(), front_points(offers, width));
    }
  }
}

TEST_CASE("draw_points: every camera, on one thread and on many", "[spatial][zbuffer]") {
  pinhole_camera<float> pinhole{{{60, 60}}, {{48, 32}}};
  pinhole.width = 96;
  pinhole.height = 64;
  pinhole.translation = {{0, 0, 4}};
  check_drawing(pinhole, 5);
  check_drawing(spherical_camera<float>{0.8f, -0.8f, 360, 32}, 6);
  check_drawing(farpoint::organized_camera<float>{100, 150}, 7);
}

TEST_CASE("zbuffer_ref is trivially copyable", "[spatial][zbuffer]") {
  CHECK(std::is_trivially_copyable_v<zbuffer_ref>);
}

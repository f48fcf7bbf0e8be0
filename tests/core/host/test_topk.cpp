// The lists of container/topk.hpp and the networks of warp/sorting_network.hpp, on the host.
#include <farpoint/container/topk.hpp>
#include <farpoint/warp/sorting_network.hpp>

#include <array>
#include <cmath>

#include "../../support/catch.hpp"
#include "../../support/for_each_value.hpp"
#include "../topk_problem.hpp"

using namespace farpoint_tests;
using farpoint::index_key;
using farpoint::neighbor_key;

namespace {

struct in_order {
  static constexpr int most = 1 << 20;
  template <class Key>
  static void run(Key const* keys, int size, int k, Key const& limit, Key* out) {
    farpoint::topk_sorted<Key> list{out, k, limit};
    for (int i = 0; i < size; ++i) list.push(keys[i]);
    list.sort();
  }
};

struct in_buffer {
  static constexpr int most = 1 << 20;
  template <class Key>
  static void run(Key const* keys, int size, int k, Key const& limit, Key* out) {
    std::vector<Key> memory(static_cast<std::size_t>(2 * k));
    farpoint::topk_buffer<Key> list{memory.data(), k, limit};
    for (int i = 0; i < size; ++i) list.push(keys[i]);
    list.sort();
    std::copy_n(memory.begin(), k, out);
  }
};

template <class List, class Key, class Scalar, class Less>
void check_list(std::size_t size, int k, int kind, std::uint64_t seed, Less const& less) {
  CAPTURE(size, k, kind, seed);
  auto const keys = topk_keys<Key, Scalar>(size, kind, seed);
  for (Key const limit :
       {Key{std::numeric_limits<Scalar>::infinity(), farpoint::no_index}, Key{Scalar(0.5), 20}, Key{Scalar(0), 0}}) {
    std::vector<Key> out(static_cast<std::size_t>(k));
    List::run(keys.data(), static_cast<int>(size), k, limit, out.data());
    CHECK(same_keys(out, smallest_keys(keys, k, limit, less)));
  }
}

/// Compared by index alone, keys with equal indices and different distances are equal, and a list may keep any: such
/// kinds of keys are left out.
template <class List, class Key, class Scalar, class Less>
void check_lists(Less const& less) {
  int const first_kind = std::is_same_v<Less, of_lower_index> ? 2 : 0;
  for (int const k : {1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 100}) {
    if (k > List::most) continue;
    for (int kind = first_kind; kind < 5; ++kind) {
      for (std::size_t size = 0; size <= 40; ++size) check_list<List, Key, Scalar>(size, k, kind, size, less);
      for (std::size_t const size : {199u, 200u, 201u, 1000u}) check_list<List, Key, Scalar>(size, k, kind, size, less);
    }
  }
}

template <class List>
void check_all_keys() {
  check_lists<List, neighbor_key<float>, float>(nearer{});
  check_lists<List, neighbor_key<double>, double>(nearer{});
  check_lists<List, index_key<float>, float>(of_lower_index{});
}

/// A network sorts everything if it sorts all sequences of zeros and ones (Knuth, TAOCP 3, 5.3.4, theorem Z).
template <int Size>
void check_networks() {
  CAPTURE(Size);
  bool sorted = true;
  bool merged = true;
  for (std::uint32_t bits = 0; bits < 1u << Size; ++bits) {
    int keys[Size];
    int ones = 0;
    int changes = 0;
    for (int i = 0; i < Size; ++i) {
      keys[i] = static_cast<int>(bits >> i & 1u);
      ones += keys[i];
      changes += (bits >> i & 1u) != (bits >> ((i + 1) % Size) & 1u);
    }
    int bitonic[Size];
    std::copy_n(keys, Size, bitonic);
    farpoint::network_sort(keys);
    for (int i = 0; i < Size; ++i) sorted = sorted && keys[i] == (i >= Size - ones ? 1 : 0);
    if (changes > 2) continue;  // in a circle: 0 or 2 for a bitonic sequence of zeros and ones
    farpoint::bitonic_merge(bitonic);
    for (int i = 0; i < Size; ++i) merged = merged && bitonic[i] == (i >= Size - ones ? 1 : 0);
  }
  CHECK(sorted);
  CHECK(merged);
}

/// A value that counts its comparisons, for the number that a network makes.
struct counted {
  static inline int comparisons = 0;
  int value;
  friend bool operator<(counted const& a, counted const& b) {
    ++comparisons;
    return a.value < b.value;
  }
};

}  // namespace

TEST_CASE("topk_list: the k smallest keys in order", "[topk]") {
  for_each_value<1, 8, 32>([](auto capacity) { check_all_keys<in_registers<capacity>>(); });
}
TEST_CASE("topk_heap: the k smallest keys in order", "[topk]") {
  check_all_keys<in_heap>();
}
TEST_CASE("topk_sorted: the k smallest keys in order", "[topk]") {
  check_all_keys<in_order>();
}
TEST_CASE("topk_buffer: the k smallest keys in order", "[topk]") {
  check_all_keys<in_buffer>();
}

TEST_CASE("topk: worst() is the k-th smallest, or the limit while there are fewer", "[topk]") {
  using key = neighbor_key<float>;
  key const limit{9.0f, 5};
  key memory[4];
  farpoint::topk_list<key, 4> list{2, limit};
  farpoint::topk_heap<key> heap{memory, 2, limit};
  key other[2];
  farpoint::topk_sorted<key> sorted{other, 2, limit};
  auto const worst_is = [&](float distance2, std::uint32_t index) {
    CHECK(same_keys<key>({list.worst(), heap.worst(), sorted.worst()}, std::vector<key>(3, key{distance2, index})));
  };
  auto const push = [&](key const& k) {
    list.push(k);
    heap.push(k);
    sorted.push(k);
  };
  worst_is(9, 5);
  push({9, 6});  // not below the limit
  push({9, 5});
  worst_is(9, 5);
  push({9, 4});
  worst_is(9, 5);
  push({3, 1});
  worst_is(9, 4);
  push({3, 1});
  worst_is(3, 1);
  push({3, 0});
  worst_is(3, 1);
  CHECK(heap.count() == 2);
}

TEST_CASE("neighbor_key: one word orders as the two numbers do", "[topk]") {
  std::vector<float> const distances{0.0f,
                                     std::numeric_limits<float>::denorm_min(),
                                     std::numeric_limits<float>::min(),
                                     1.0f,
                                     std::nextafter(1.0f, 2.0f),
                                     std::numeric_limits<float>::max(),
                                     std::numeric_limits<float>::infinity()};
  std::vector<std::uint32_t> const indices{0, 1, 0x7fffffffu, 0x80000000u, 0xfffffffeu, farpoint::no_index};
  for (float const a : distances) {
    for (float const b : distances) {
      for (std::uint32_t const i : indices) {
        for (std::uint32_t const j : indices) {
          neighbor_key<float> const x{a, i};
          neighbor_key<float> const y{b, j};
          CHECK(x.distance2() == a);
          CHECK(x.index() == i);
          CHECK((x < y) == nearer{}(x, y));
          CHECK((neighbor_key<double>{a, i} < neighbor_key<double>{b, j}) == nearer{}(x, y));
          CHECK((index_key<double>{a, i} < index_key<double>{b, j}) == (i < j));
          CHECK_FALSE(x < neighbor_key<float>::lowest());
        }
      }
    }
  }
}

TEST_CASE("sorting networks sort all zeros and ones, so everything", "[topk][sort]") {
  check_networks<1>();
  check_networks<2>();
  check_networks<4>();
  check_networks<8>();
  check_networks<16>();
}

TEST_CASE("sorting networks make as many comparisons as they say", "[topk][sort]") {
  auto const comparisons = [](auto& keys, auto sort) {
    counted::comparisons = 0;
    sort(keys);
    return counted::comparisons;
  };
  counted four[4]{}, eight[8]{}, sixteen[16]{};
  auto const network = [](auto& keys) { farpoint::network_sort(keys); };
  auto const merge = [](auto& keys) { farpoint::bitonic_merge(keys); };
  CHECK(comparisons(four, network) == 5);
  CHECK(comparisons(eight, network) == 19);
  CHECK(comparisons(sixteen, network) == 63);
  CHECK(comparisons(four, merge) == 4);
  CHECK(comparisons(eight, merge) == 12);
  CHECK(comparisons(sixteen, merge) == 32);
}

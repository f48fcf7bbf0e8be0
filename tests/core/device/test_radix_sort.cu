// radix_sort() against std::stable_sort.
#include <farpoint/grid/radix_sort.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../../support/random.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace farpoint_tests;
using farpoint::radix_sort_result;
using words = std::vector<std::uint32_t>;

namespace {

/// One launch per digit, for all but very small sizes.
template <int Threads, int Items, int Window, std::uint32_t Portion = (1u << 30) - 1>
struct only_sweeps : farpoint::radix_sort_selector {
  static constexpr farpoint::radix_block_tuning blocks[] = {{256, 1}};
  static constexpr farpoint::radix_sweep_tuning sweeps[] = {{1, Threads, Items, 1, Window}};
  static constexpr std::uint32_t portion_keys = Portion;
  static constexpr int histogram_blocks = 7;
};
/// Two tunings of each kind, so that sizes at the border between two can be tested.
struct two_shapes : farpoint::radix_sort_selector {
  static constexpr farpoint::radix_block_tuning blocks[] = {{256, 1}, {512, 2}};
  static constexpr farpoint::radix_sweep_tuning sweeps[] = {{1, 256, 2, 1, 2}, {5000, 384, 3, 1, 3}};
};

enum class key_kind { random, equal, ascending, descending, two_values, few_values, highest };
constexpr key_kind all_kinds[] = {key_kind::random,     key_kind::equal,      key_kind::ascending, key_kind::descending,
                                  key_kind::two_values, key_kind::few_values, key_kind::highest};
constexpr int all_bits[] = {0, 1, 7, 8, 9, 16, 17, 24, 31, 32};

words make_keys(key_kind kind, std::size_t size, std::uint64_t seed) {
  random_source random{seed};
  words keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const number = static_cast<std::uint32_t>(random.next());
    auto const place = static_cast<std::uint32_t>(i);
    switch (kind) {
      case key_kind::random: keys[i] = number; break;
      case key_kind::equal: keys[i] = 0x12345678u; break;
      case key_kind::ascending: keys[i] = place; break;
      case key_kind::descending: keys[i] = ~place; break;
      case key_kind::two_values: keys[i] = number % 2 == 0 ? 0x01010100u : 0xfefefeffu; break;
      case key_kind::few_values: keys[i] = number % 5 * 0x01030507u; break;
      case key_kind::highest: keys[i] = number % 3 == 0 ? ~0u : ~0u - number % 2; break;
    }
  }
  return keys;
}

/// Returns the indices of the keys in sorted order, by std::stable_sort.
words sorted_places(words const& keys, std::size_t size, int bits) {
  std::uint32_t const mask = bits == 0 ? 0 : ~0u >> (32 - bits);
  words places(size);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
  return places;
}

std::uint32_t value_of(std::uint32_t place) {
  return place * 2654435761u + 1;
}

/// Keys and values on the device, and a workspace of exactly the required size, filled with garbage.
template <class Selector>
class sort_problem {
 public:
  /// @param size  number of leading keys to sort
  sort_problem(words const& keys, int bits, std::size_t size)
      : host_keys_{keys},
        bits_{bits},
        size_{size},
        keys_{device_array<std::uint32_t>{keys}, device_array<std::uint32_t>{keys.size()}},
        values_{device_array<std::uint32_t>{keys.size()}, device_array<std::uint32_t>{keys.size()}},
        workspace_{farpoint::radix_sort_workspace_words<Selector>(keys.size())},
        device_size_{words{static_cast<std::uint32_t>(size)}} {
    for (std::uint32_t i = 0; i < keys.size(); ++i) host_values_.push_back(value_of(i));
    values_[0].upload(host_values_);
  }

  farpoint::radix_sort_args args(bool on_device) const {
    return {{keys_[0].data(), keys_[1].data()},
            {values_[0].data(), values_[1].data()},
            workspace_.data(),
            static_cast<std::uint32_t>(host_keys_.size()),
            bits_,
            on_device ? device_size_.data() : nullptr};
  }

  void upload() {
    keys_[0].upload(host_keys_);
    values_[0].upload(host_values_);
  }

  void check() const {
    int const at = radix_sort_result(bits_);
    words const keys = keys_[at].download();
    words const values = values_[at].download();
    words const places = sorted_places(host_keys_, size_, bits_);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size_ && wrong == 0; ++i) {
      if (keys[i] == host_keys_[places[i]] && values[i] == value_of(places[i])) continue;
      ++wrong;
      CAPTURE(i, places[i], keys[i], host_keys_[places[i]], values[i], value_of(places[i]));
      CHECK(wrong == 0);
    }
    for (std::size_t i = size_; i < keys.size() && wrong == 0; ++i) {
      // Keys behind `size_` are not touched.
      bool const same = at == 0 ? keys[i] == host_keys_[i] && values[i] == host_values_[i]
                                : keys[i] == 0xa5a5a5a5u && values[i] == 0xa5a5a5a5u;
      if (!same) ++wrong;
    }
    CHECK(wrong == 0);
    bool const intact = keys_[0].intact() && keys_[1].intact() && values_[0].intact() && values_[1].intact() &&
                        workspace_.intact() && device_size_.download()[0] == size_;
    CHECK(intact);
  }

 private:
  words host_keys_;
  words host_values_;
  int bits_;
  std::size_t size_;
  device_array<std::uint32_t> keys_[2];
  device_array<std::uint32_t> values_[2];
  device_array<std::uint32_t> workspace_;
  device_array<std::uint32_t> device_size_;
};

template <class Selector = farpoint::radix_sort_selector>
void check_sort(key_kind kind, std::size_t capacity, int bits, std::uint64_t seed, std::ptrdiff_t device_size = -1) {
  std::size_t const size = device_size < 0 ? capacity : static_cast<std::size_t>(device_size);
  CAPTURE(static_cast<int>(kind), capacity, size, bits, seed);
  sort_problem<Selector> const problem{make_keys(kind, capacity, seed), bits, size};
  check_once(problem, [&](cudaStream_t stream) {
    return farpoint::radix_sort<Selector>(problem.args(device_size >= 0), stream);
  });
}

template <class Selector>
void check_sizes(std::initializer_list<std::size_t> sizes) {
  std::uint64_t seed = 1;
  for (std::size_t const size : sizes) {
    for (key_kind const kind : all_kinds) check_sort<Selector>(kind, size, 32, ++seed);
    for (int const bits : all_bits) check_sort<Selector>(key_kind::random, size, bits, ++seed);
  }
}

template <class Selector>
void check_device_sizes(std::size_t capacity) {
  std::uint64_t seed = 100;
  for (std::size_t const size : {std::size_t{0}, std::size_t{1}, capacity / 3, capacity - 1, capacity}) {
    for (int const bits : {8, 13, 32}) {
      check_sort<Selector>(key_kind::random, capacity, bits, ++seed, static_cast<std::ptrdiff_t>(size));
    }
  }
}

template <class Selector>
void check_graphs_and_errors(std::size_t size) {
  CAPTURE(size);
  for (int const bits : {9, 32}) {
    sort_problem<Selector> problem{make_keys(key_kind::random, size, 7), bits, size};
    check_stream_manners(
        problem, [&](cudaStream_t stream) { return farpoint::radix_sort<Selector>(problem.args(false), stream); });
  }
}

template <class Selector>
void check_refusal(std::size_t size) {
  sort_problem<Selector> const problem{make_keys(key_kind::random, size, 8), 32, size};
  check_refused_error([&](cudaStream_t stream) { return farpoint::radix_sort<Selector>(problem.args(false), stream); });
}

}  // namespace

TEST_CASE("radix_sort: by one block", "[radix_sort][device][sanitize]") {
  check_sizes<farpoint::radix_sort_selector>({0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 4095, 4096, 4097});
  check_device_sizes<farpoint::radix_sort_selector>(3000);
}
TEST_CASE("radix_sort: by one block, its capacity", "[radix_sort][device]") {
  constexpr auto& blocks = farpoint::radix_sort_selector::blocks;
  std::size_t const capacity = std::end(blocks)[-1].capacity();
  check_sizes<farpoint::radix_sort_selector>({capacity - 1, capacity, capacity + 1});
  check_device_sizes<farpoint::radix_sort_selector>(capacity);
  CHECK(farpoint::radix_sort_workspace_words(capacity) == 0);
}

TEST_CASE("radix_sort: where one shape of the default takes over from another", "[radix_sort][device]") {
  check_sizes<farpoint::radix_sort_selector>({1024, 1025, 2048, 2049, 4095, 4096, 4097, 20000, 100000});
  for (std::size_t const size : {std::size_t{1} << 19, std::size_t{1} << 21}) {
    check_sort(key_kind::random, size - 1, 32, size);
    check_sort(key_kind::random, size, 32, size);
  }
}

TEST_CASE("radix_sort: one launch a digit", "[radix_sort][device][sanitize]") {
  check_sizes<only_sweeps<256, 4, 1>>({257, 1023, 1024, 1025, 20000});
  check_device_sizes<only_sweeps<384, 5, 4>>(9000);
}
TEST_CASE("radix_sort: one launch a digit, many tiles", "[radix_sort][device]") {
  check_sizes<only_sweeps<256, 4, 8>>({100000});
  // Tiles of few keys: longest look-back.
  check_sizes<only_sweeps<256, 1, 1>>({257, 8191, 100000});
  check_sizes<only_sweeps<256, 1, 4>>({257, 8191, 100000});
  check_sizes<only_sweeps<1024, 2, 3>>({100000});
}
TEST_CASE("radix_sort: one launch a digit and portion", "[radix_sort][device][sanitize]") {
  // One tile a portion, three, and sizes around their ends.
  check_sizes<only_sweeps<256, 1, 2, 256>>({257, 512, 2000});
  check_sizes<only_sweeps<256, 2, 2, 1800>>({257, 511, 512, 513, 1535, 1536, 1537, 3071, 3072, 3073, 20000});
  check_device_sizes<only_sweeps<256, 2, 2, 1800>>(9000);
}
TEST_CASE("radix_sort: where one way to sort ends and the next begins", "[radix_sort][device]") {
  check_sizes<two_shapes>({256, 257, 1024, 1025, 2999, 3000, 4999, 5000, 5001});
}

TEST_CASE("radix_sort: a hundred thousand to five million keys", "[radix_sort][device]") {
  std::uint64_t seed = 1000;
  for (key_kind const kind : all_kinds) check_sort(kind, 100000, 32, ++seed);
  constexpr auto& sweeps = farpoint::radix_sort_selector::sweeps;
  for (auto const& shape : sweeps) {
    check_sort(key_kind::random, shape.from - 1, 32, ++seed);
    check_sort(key_kind::random, shape.from, 32, ++seed);
    check_sort(key_kind::random, shape.from / shape.tile_size() * shape.tile_size() + shape.tile_size(), 32, ++seed);
    check_sort(key_kind::random, shape.from / shape.tile_size() * shape.tile_size() + shape.tile_size() + 1, 31,
               ++seed);
  }
  for (key_kind const kind : all_kinds) check_sort(kind, (1 << 20) + 7, 32, ++seed);
  for (int const bits : all_bits) check_sort(key_kind::random, (1 << 20) + 7, bits, ++seed);
  for (int const bits : {9, 24, 32}) check_sort(key_kind::random, 5000000, bits, ++seed);
  check_sort(key_kind::two_values, 5000000, 32, ++seed);
  check_sort<only_sweeps<256, 4, 8>>(key_kind::random, 5000000, 32, ++seed);
}
TEST_CASE("radix_sort: few of many keys", "[radix_sort][device]") {
  check_device_sizes<farpoint::radix_sort_selector>(100000);
  check_device_sizes<farpoint::radix_sort_selector>((1 << 20) + 7);
}

TEST_CASE("radix_sort: graph replays, and errors of others", "[radix_sort][device]") {
  check_graphs_and_errors<farpoint::radix_sort_selector>(1000);
  check_graphs_and_errors<farpoint::radix_sort_selector>(10000);
  check_graphs_and_errors<only_sweeps<256, 4, 4>>(20000);
  check_graphs_and_errors<only_sweeps<256, 2, 2, 1800>>(20000);
  check_graphs_and_errors<farpoint::radix_sort_selector>((1 << 20) + 7);
}
TEST_CASE("radix_sort: returns the error of its own launch", "[radix_sort][device]") {
  check_refusal<farpoint::radix_sort_selector>(1000);
  check_refusal<only_sweeps<256, 4, 4>>(20000);
}

TEST_CASE("radix_sort: a workspace serves every smaller size", "[radix_sort][device]") {
  std::size_t most = 0;
  for (std::size_t size = 0; size < 3000000; size += 997) {
    std::size_t const needed = farpoint::radix_sort_workspace_words(size);
    if (needed < most) FAIL("less for " << size);
    most = needed;
  }
  most = 0;
  for (std::size_t size = 0; size < 10000; ++size) {
    std::size_t const needed = farpoint::radix_sort_workspace_words<two_shapes>(size);
    if (needed < most) FAIL("less for " << size);
    most = needed;
  }
  // The size query does not overflow, even for sizes that no sort accepts.
  CHECK(farpoint::radix_sort_workspace_words(std::size_t{1} << 40) > std::size_t{1} << 34);
}

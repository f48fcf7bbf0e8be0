// The bytes of a fuzzer as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "../support/clouds.hpp"
#include "../support/records.hpp"

namespace farpoint_tests {

/// Takes numbers from the front; zeros when the bytes have run out, so that every input is a valid one.
class fuzz_input {
 public:
  fuzz_input(unsigned char const* data, std::size_t size) : data_{data}, size_{size} {}

  template <class T>
  T take() {
    unsigned char bytes[sizeof(T)] = {};
    std::size_t const count = size_ < sizeof(T) ? size_ : sizeof(T);
    if (count != 0) std::memcpy(bytes, data_, count);
    data_ += count;
    size_ -= count;
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  bool flag() { return (take<std::uint8_t>() & 1) != 0; }
  /// True for one byte in sixteen: for what is mostly wrong.
  bool rarely() { return take<std::uint8_t>() % 16 == 15; }
  /// 0 to bound - 1, by one byte or two.
  index_t below(index_t bound) {
    return bound <= 1 ? 0 : (bound <= 256 ? index_t{take<std::uint8_t>()} : index_t{take<std::uint16_t>()}) % bound;
  }
  /// `usual`, or sometimes any number, and the limits of the types more than others.
  index_t take_count(index_t usual) {
    if (!rarely()) return usual;
    index_t const limits[] = {0,
                              -1,
                              1,
                              std::numeric_limits<index_t>::max(),
                              std::numeric_limits<index_t>::min(),
                              2147483647,
                              2147483648,
                              4294967295,
                              index_t{1} << 62,
                              usual + 1,
                              usual - 1};
    auto const which = static_cast<std::size_t>(below(2 * std::size(limits)));
    return which < std::size(limits) ? limits[which] : take<index_t>();
  }
  /// Draws a length or a limit: `usual`, or rarely any double, NaN among them.
  double take_length(double usual) { return rarely() ? take<double>() : usual; }
  /// In [0, 1).
  double unit() { return take<std::uint16_t>() / 65536.0; }

 private:
  unsigned char const* data_;
  std::size_t size_;
};

/// A cloud of up to `most` points: one of the tests' shapes, or any floats.
inline xyz_cloud take_cloud(fuzz_input& input, index_t most) {
  auto const n = static_cast<std::size_t>(input.below(most + 1));
  std::size_t const kind = input.take<std::uint8_t>() % (std::size(all_shapes) + 2);
  if (kind < std::size(all_shapes)) return make_cloud(all_shapes[kind], n, input.take<std::uint8_t>());
  xyz_cloud cloud(std::min<std::size_t>(n, 64));
  for (auto& point : cloud) {
    for (double& coordinate : point) coordinate = static_cast<double>(input.take<float>());
  }
  return cloud;
}

/// Records of floats, aligned or not, forwards or backwards.
inline record_format take_format(fuzz_input& input) {
  record_format const formats[] = {{},
                                   {12, {0, 4, 8}, 0, false},
                                   {16, {0, 4, 8}, 0, true},
                                   {22, {0, 4, 8}, 0, false},
                                   {18, {6, 1, 12}, 3, true},
                                   {32, {20, 4, 8}, 2, false},
                                   {12, {8, 0, 4}, 1, true}};
  return formats[static_cast<std::size_t>(input.below(static_cast<index_t>(std::size(formats))))];
}

/// Offsets of `clouds` clouds in a view of `points`: ascending, or now and then anything.
inline std::vector<index_t> take_offsets(fuzz_input& input, index_t clouds, index_t points) {
  std::vector<index_t> offsets;
  for (index_t b = 0; b <= clouds; ++b) offsets.push_back(input.below(points + 1));
  std::sort(offsets.begin(), offsets.end());
  if (input.rarely()) {
    for (index_t& offset : offsets) offset = input.take_count(offset);
  }
  return offsets;
}

}  // namespace farpoint_tests

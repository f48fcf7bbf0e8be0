// Batches of clouds from a fuzzer's bytes.
#pragma once

#include <farpoint/core/batch.hpp>

#include "fuzz_input.hpp"

namespace farpoint_tests {

/// Records in memory of just their size, and the batch that they are.
struct fuzz_clouds {
  using view = farpoint::point_view<float>;

  record_format format;
  std::vector<unsigned char> records;
  index_t points = 0;
  index_t clouds = 1;
  bool ragged = false;
  std::vector<index_t> offsets;
  index_t largest = -1;

  fuzz_clouds() = default;
  fuzz_clouds(fuzz_input& input, index_t point_limit, index_t cloud_limit) : format{take_format(input)} {
    if (format.stride == 0) format = {12, {0, 4, 8}, 0, false};
    auto const cloud = take_cloud(input, point_limit);
    points = static_cast<index_t>(cloud.size());
    clouds = 1 + input.below(cloud_limit);
    ragged = input.flag();
    if (ragged) {
      offsets = take_offsets(input, clouds, points);
      if (input.flag()) largest = input.take_count(points);
    } else {
      clouds = input.take_count(clouds);
      // Billions of clouds without points are allowed, and take a while.
      if (clouds > 999 && clouds <= 2147483647) clouds = 999;
      if (clouds > 0 && !input.rarely()) points -= points % clouds;
    }
    write(cloud);
  }

  /// Copies of both arrays, in memory of just their size.
  template <class Memory>
  farpoint::batch<view> in(Memory& memory) const {
    unsigned char const* base = memory.input(records).data() + format.shift;
    index_t const stride = format.reversed ? -format.stride : format.stride;
    if (format.reversed && points > 0) base += (points - 1) * format.stride;
    view const all{base, points, stride, format.offsets};
    if (!ragged) return farpoint::batch<view>::regular(all, clouds);
    return farpoint::batch<view>::ragged(all, memory.input(offsets), largest);
  }

  /// Clouds that an array of a row each is made for: none if there are absurdly many.
  std::size_t rows() const { return clouds > 0 && clouds < 1000 ? static_cast<std::size_t>(clouds) : 0; }

 private:
  void write(xyz_cloud const& cloud) {
    int last = 0;
    for (int const offset : format.offsets) last = std::max(last, offset + 4);
    auto const size = points == 0 ? 0 : (points - 1) * format.stride + last;
    records.assign(format.shift + static_cast<std::size_t>(size), 0xee);
    for (index_t i = 0; i < points; ++i) {
      index_t const place = format.reversed ? points - 1 - i : i;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        auto const value = static_cast<float>(cloud[static_cast<std::size_t>(i)][axis]);
        std::memcpy(&records[format.shift + static_cast<std::size_t>(place * format.stride + format.offsets[axis])],
                    &value, sizeof value);
      }
    }
  }
};

/// A batch whose numbers are anything and whose memory does not exist, for questions about sizes.
inline farpoint::batch<fuzz_clouds::view> take_unbacked_batch(fuzz_input& input, std::vector<index_t> const& offsets) {
  fuzz_clouds::view const all{nullptr, input.take_count(input.below(1000)), 12};
  if (input.flag()) {
    return farpoint::batch<fuzz_clouds::view>::ragged(all, {offsets.data(), offsets.size()}, input.take<index_t>());
  }
  return farpoint::batch<fuzz_clouds::view>::regular(all, input.take_count(input.below(9)));
}

}  // namespace farpoint_tests

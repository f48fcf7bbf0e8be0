// Points of your own type, without a copy: three ways to say where their coordinates are.
#include <farpoint/fps.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

//! [members]
// 1. Members x, y and z of one type: nothing to say.
struct lidar_return {
  double time;
  float x, y, z;
  std::uint16_t ring;
};
//! [members]

//! [layout]
// 2. Any other type: say where the coordinates are, once.
struct radar_target {
  std::uint32_t id;
  float velocity;
  double position[3];  // meters
};

template <>
struct farpoint::point_layout<radar_target> {
  using coord = double;
  static constexpr int dim = 3;
  static std::array<int, 3> offsets() {
    int const first = offsetof(radar_target, position);
    return {first, first + 8, first + 16};
  }
};
//! [layout]

/// The picks of a view: what fps() of a container does, spelt out, with memory that is the caller's.
template <class Points>
std::vector<std::int32_t> sample(Points const& points, farpoint::index_t samples) {
  //! [core]
  farpoint::batch const cloud{points};
  farpoint::fps_params params;
  params.samples = samples;
  std::vector<std::int32_t> picks(static_cast<std::size_t>(samples));

  farpoint::host_exec const exec{};  // all cores
  farpoint::host_scratch const workspace{fps_workspace_bytes(exec, cloud, params)};
  farpoint::result const outcome = farpoint::fps(exec, cloud, params, {picks}, workspace);
  if (!outcome) std::puts(outcome.reason);
  //! [core]
  return picks;
}

int main() {
  constexpr int n = 1000;
  constexpr int record = 19;  // bytes: x, y, z and a tag, from a file whose floats are not aligned
  std::vector<lidar_return> lidar(n);
  std::vector<radar_target> radar(n);
  std::vector<unsigned char> file(n * record);
  for (int i = 0; i < n; ++i) {
    float const xyz[3] = {static_cast<float>(i * 7 % 101), static_cast<float>(i * 13 % 97), static_cast<float>(i % 5)};
    auto const at = static_cast<std::size_t>(i);
    lidar[at] = {0.1 * i, xyz[0], xyz[1], xyz[2], 0};
    radar[at] = {static_cast<std::uint32_t>(i), 0, {xyz[0], xyz[1], xyz[2]}};
    std::memcpy(file.data() + at * record + 7, xyz, sizeof xyz);
  }

  auto const by_members = farpoint::fps(lidar, 50).indices;
  auto const by_layout = farpoint::fps(radar, 50).indices;
  //! [records]
  // 3. Records of bytes: address, number of points, bytes per record, and the offsets of x, y and z in a record.
  farpoint::point_view<float> const points{file.data(), n, record, {7, 11, 15}};
  //! [records]
  auto const by_records = sample(points, 50);

  bool const same = by_members == by_layout && by_members == by_records;
  std::printf("%zu samples, %s by all three ways\n", by_members.size(), same ? "the same" : "NOT the same");
  return same ? 0 : 1;
}

/// @file
/// Functions of whole clouds of other libraries on the host, behind one interface; registered as in host_index.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace farpoint_bench {

/// A cloud in the library's own type.
class host_cloud {
 public:
  host_cloud() = default;
  host_cloud(host_cloud const&) = delete;
  host_cloud& operator=(host_cloud const&) = delete;
  virtual ~host_cloud() = default;

  /// Estimates normals from k neighbors, the point itself among them; the index is built in the call.
  /// @param normals  `[points, 3]`, turned to the origin
  virtual void normals(int k, int threads, float* normals) = 0;

  /// Centroids of the points of each voxel of a grid of cubes whose corner is at a multiple of the edge (m), in any
  /// order.
  /// @param xyz  `[voxels, 3]`
  /// @return voxels
  virtual std::size_t centroids(float edge, std::vector<float>& xyz) = 0;
};

/// A library that has such a cloud. The points, `[points, 3]`, are copied.
struct host_cloud_peer {
  char const* name;
  std::unique_ptr<host_cloud> (*make)(float const* xyz, std::size_t points);
};

/// The peers of this program.
inline std::vector<host_cloud_peer>& host_cloud_peers() {
  static std::vector<host_cloud_peer> all;
  return all;
}

/// Registers `Cloud`, which is constructed from the points and their number.
template <class Cloud>
struct register_host_cloud {
  explicit register_host_cloud(char const* name) {
    host_cloud_peers().push_back({name, [](float const* xyz, std::size_t points) {
                                    return std::unique_ptr<host_cloud>{std::make_unique<Cloud>(xyz, points)};
                                  }});
  }
};

}  // namespace farpoint_bench

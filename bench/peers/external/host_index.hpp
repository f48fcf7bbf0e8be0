/// @file
/// Search structures of other libraries on the host, behind one interface. A peer is a source file of this folder that
/// registers itself: a program measures the peers that it is linked with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace farpoint_bench {

/// An index of one cloud. Calls of one index by several threads at once are safe.
template <class Scalar>
class host_index {
 public:
  host_index() = default;
  host_index(host_index const&) = delete;
  host_index& operator=(host_index const&) = delete;
  virtual ~host_index() = default;

  /// Writes the k nearest points of each query, nearest first.
  /// @param queries    `[count, 3]` (m)
  /// @param indices    `[count, k]`
  /// @param distances  `[count, k]`, squared
  virtual void knn(Scalar const* queries, std::size_t count, std::size_t k, std::int32_t* indices,
                   Scalar* distances) const = 0;

  /// Counts the points within the radius (m) of each query, after it has listed them in memory of its own.
  /// @param counts  `[count]`
  virtual void within(Scalar const* queries, std::size_t count, Scalar radius, std::int32_t* counts) const = 0;
};

/// A library that builds such an index on one thread. The points, `[points, 3]`, must outlive the index.
template <class Scalar>
struct host_peer {
  char const* name;
  std::unique_ptr<host_index<Scalar>> (*build)(Scalar const* xyz, std::size_t points);
};

/// The peers of this program, in the order of their registration.
template <class Scalar>
std::vector<host_peer<Scalar>>& host_peers() {
  static std::vector<host_peer<Scalar>> all;
  return all;
}

/// Registers `Index`, which is constructed from the points and their number.
template <class Scalar, class Index>
struct register_host_peer {
  explicit register_host_peer(char const* name) {
    host_peers<Scalar>().push_back({name, [](Scalar const* xyz, std::size_t points) {
                                      return std::unique_ptr<host_index<Scalar>>{std::make_unique<Index>(xyz, points)};
                                    }});
  }
};

}  // namespace farpoint_bench

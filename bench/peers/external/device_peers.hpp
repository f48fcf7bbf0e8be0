/// @file
/// Calls of other libraries on the GPU, behind one interface for each kind of call. A peer is a source file of this
/// folder that registers itself: a program measures the peers that it is linked with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace farpoint_bench {

/// The stream on which a peer enqueues its kernels.
enum class peer_stream {
  given,    ///< the stream that it is given
  standard  ///< the default stream of the device, whatever it is given
};

/// A library that has such calls.
/// @tparam Call  one of the classes below; input pointers are device memory that outlives the call
template <class Call>
struct device_peer {
  char const* name;
  peer_stream stream;
  /// False where the peer has no such call for this input, whose pointers are null, or where it would take minutes.
  bool (*suits)(typename Call::input const& input);
  std::unique_ptr<Call> (*make)(typename Call::input const& input);
};

/// The peers of this program, in the order of their registration.
template <class Call>
std::vector<device_peer<Call>>& device_peers() {
  static std::vector<device_peer<Call>> all;
  return all;
}

/// Registers `Peer`, a Call that is constructed from the input and has `static bool suits(input)`.
template <class Call, class Peer>
struct register_device_peer {
  explicit register_device_peer(char const* name, peer_stream stream = peer_stream::given) {
    device_peers<Call>().push_back(
        {name, stream, Peer::suits,
         [](typename Call::input const& input) -> std::unique_ptr<Call> { return std::make_unique<Peer>(input); }});
  }
};

/// A call whose work is enqueued on a stream.
class device_call {
 public:
  device_call() = default;
  device_call(device_call const&) = delete;
  device_call& operator=(device_call const&) = delete;
  virtual ~device_call() = default;

  /// Enqueues what comes before the call and is not timed.
  virtual void prepare(cudaStream_t) {}
  /// Enqueues the call. It may wait for the device, as some peers do.
  virtual void enqueue(cudaStream_t stream) = 0;
};

/// Farthest point samples of clouds of one size; the first sample of each is its point 0.
class device_fps : public device_call {
 public:
  struct input {
    int clouds;
    int points;
    int samples;
    float const* xyz;  ///< `[clouds, points, 3]`
  };

  /// `[clouds, samples]`, counted within a cloud. Waits for the device.
  virtual std::vector<std::int32_t> indices() const = 0;
};

/// The k nearest points of each query within a radius, nearest first; -1 where there are fewer.
class device_knn : public device_call {
 public:
  struct input {
    int points;
    int queries;
    int k;
    float const* xyz;          ///< `[points, 3]`
    float const* queries_xyz;  ///< `[queries, 3]`; equal to `xyz` if points are their own queries
    /// If true, an index is built by prepare(), which is not timed; if false, by enqueue().
    bool has_index;
    /// If true, all points may lie in one cell of a grid of 2^10 cells an axis.
    bool is_degenerate;
    float radius = std::numeric_limits<float>::infinity();  ///< (m)
  };

  /// `[queries, k]`. Waits for the device.
  virtual std::vector<std::int32_t> indices() const = 0;
};

/// The first `most` points by index within a radius of each query; entries without a point repeat the first, or are -1.
class device_ball_query : public device_call {
 public:
  struct input {
    int clouds;
    int points;   ///< number of points per cloud
    int queries;  ///< number of queries per cloud
    int most;
    float radius;              ///< (m)
    float const* xyz;          ///< `[clouds, points, 3]`
    float const* queries_xyz;  ///< `[clouds, queries, 3]`
  };

  /// `[clouds, queries, most]`, counted within a cloud. Waits for the device.
  virtual std::vector<std::int32_t> indices() const = 0;
};

/// Means of the squared distances from each point to its k nearest other points.
class device_mean_distance : public device_call {
 public:
  struct input {
    int points;
    int k;
    float const* xyz;  ///< `[points, 3]`
  };

  /// `[points]`. Waits for the device.
  virtual std::vector<float> means() const = 0;
};

/// Features of the points with these indices; channels come before points, as in PyTorch's convolutions.
class device_gather : public device_call {
 public:
  struct input {
    int clouds;
    int channels;
    int points;                   ///< number of points per cloud
    int rows;                     ///< number of rows of indices per cloud
    int row_size;                 ///< number of indices per row
    float const* features;        ///< `[clouds, channels, points]`
    std::int32_t const* indices;  ///< `[clouds, rows, row_size]`, counted within a cloud
  };

  /// `[clouds, channels, rows, row_size]`. Waits for the device.
  virtual std::vector<float> features() const = 0;
};

/// Means of the features of the three nearest points, weighted by the inverse squared distance.
class device_interpolate : public device_call {
 public:
  struct input {
    int clouds;
    int channels;
    int points;                ///< number of points per cloud
    int queries;               ///< number of queries per cloud
    float const* xyz;          ///< `[clouds, points, 3]`
    float const* queries_xyz;  ///< `[clouds, queries, 3]`
    float const* features;     ///< `[clouds, channels, points]`
  };

  /// `[clouds, channels, queries]`. Waits for the device.
  virtual std::vector<float> features() const = 0;
};

/// Voxels of points with five features: their cells, numbers of points and mean features.
class device_voxelize : public device_call {
 public:
  struct input {
    int points;
    int max_voxels;
    int max_points;        ///< largest number of points that a voxel keeps
    float lower[3];        ///< lower corner of the range (m)
    float upper[3];        ///< upper corner (m)
    float size[3];         ///< edges of a voxel (m)
    float const* records;  ///< `[points, 5]`
  };
  struct answer {
    std::vector<std::int32_t> coords;  ///< `[voxels, 3]`: x, y, z
    std::vector<std::int32_t> counts;  ///< `[voxels]`
    std::vector<float> means;          ///< `[voxels, 5]`
  };

  /// Voxels in any order. Waits for the device.
  virtual answer voxels() const = 0;
};

/// A hash map with room for `slots` pairs, in which inserts keep one of the values of a key.
template <class Key>
class device_map {
 public:
  struct input {
    std::size_t slots;
    std::size_t keys;  ///< number of keys per call
  };

  device_map() = default;
  device_map(device_map const&) = delete;
  device_map& operator=(device_map const&) = delete;
  virtual ~device_map() = default;

  virtual void clear(cudaStream_t stream) = 0;
  /// Inserts pairs that the peer made of keys and values in advance, by prepare(). @param keys  `[keys]`, as are values
  virtual void prepare(cudaStream_t stream, Key const* keys, std::uint32_t const* values) = 0;
  virtual void insert(cudaStream_t stream) = 0;
  /// @param values  `[keys]`, output
  virtual void find(cudaStream_t stream, Key const* keys, std::uint32_t* values) = 0;
};

/// Registers a map of keys of this type.
template <class Key, class Peer>
using register_device_map = register_device_peer<device_map<Key>, Peer>;

}  // namespace farpoint_bench

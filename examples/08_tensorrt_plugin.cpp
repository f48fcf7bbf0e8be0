// farpoint in an inference engine: a class with the shape of a TensorRT plugin, in plain C++. The engine passes
// the largest shapes and queries the workspace size of a layer once; then it enqueues any shapes up to these on its
// stream. The plugin passes the size that it promised: a larger shape is refused, and nothing is written beyond the
// engine's memory.
//
// TensorRT is not needed: `tensor_shape` stands for nvinfer1::PluginTensorDesc, and the class for a plugin, whose other
// functions do nothing but describe it.
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/stream_bounds.hpp>

#include <random>
#include <vector>

#include "managed_array.hpp"

struct tensor_shape {
  int dims[3];
};

//! [plugin]
/// Input [clouds, points, 3] floats; output [clouds, points, k], the indices of each point's nearest neighbors.
class knn_plugin {
 public:
  explicit knn_plugin(int k) : k_{k} {}

  /// Stores a workspace size that suffices for `largest` and all smaller shapes; a plugin's clone() copies it.
  void configurePlugin(tensor_shape const* largest) noexcept {
    using points = farpoint::point_view<float>;
    farpoint::search_limits limits;
    limits.clouds = largest[0].dims[0];
    limits.points = limits.clouds * largest[0].dims[1];
    auto const outcome = farpoint::knn_workspace_bound<points>(farpoint::cuda_exec{nullptr}, limits, promised_);
    if (!outcome) std::fprintf(stderr, "%s\n", outcome.reason);
  }
  std::size_t getWorkspaceSize() const noexcept { return promised_; }

  /// Returns 0 on success, TensorRT's convention. Only enqueues: engines may capture it in a graph.
  int enqueue(tensor_shape const* inputs, void const* const* input, void* const* output, void* workspace,
              cudaStream_t stream) const noexcept {
    farpoint::cuda_exec const exec{stream};
    auto const points = clouds(inputs[0], input[0]);
    auto const rows = static_cast<std::size_t>(points.points().size());
    farpoint::knn_output<float> lists;
    lists.indices = farpoint::span{static_cast<std::int32_t*>(output[0]), rows * static_cast<std::size_t>(k_)};
    farpoint::bytes const memory{static_cast<unsigned char*>(workspace), promised_};
    farpoint::result const outcome = knn(exec, points, {k_}, lists, memory);
    if (!outcome) std::fprintf(stderr, "%s\n", outcome.reason);
    return outcome ? 0 : 1;
  }

 private:
  static farpoint::batch<farpoint::point_view<float>> clouds(tensor_shape const& shape, void const* points) noexcept {
    farpoint::index_t const count = shape.dims[0];
    farpoint::index_t const each = shape.dims[1];
    return farpoint::batch<farpoint::point_view<float>>::regular({points, count * each}, count);
  }

  int k_;
  std::size_t promised_ = 0;  // bytes of workspace
};
//! [plugin]

/// True if row 0 of each cloud has the nearest points of the cloud's point 0.
bool is_right(managed_array<float> const& points, managed_array<std::int32_t> const& lists, tensor_shape shape, int k) {
  for (int cloud = 0; cloud < shape.dims[0]; ++cloud) {
    auto const first = static_cast<std::size_t>(cloud * shape.dims[1]);
    auto const distance2 = [&](std::int32_t i) {
      float sum = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        float const d = points[3 * (first + static_cast<std::size_t>(i)) + axis] - points[3 * first + axis];
        sum += d * d;
      }
      return sum;
    };
    std::int32_t const* const row = lists.data() + first * static_cast<std::size_t>(k);
    if (row[0] != 0) return false;  // it is its own nearest point
    int nearer = 0;
    for (std::int32_t i = 0; i < shape.dims[1]; ++i) nearer += distance2(i) < distance2(row[k - 1]) ? 1 : 0;
    if (nearer >= k) return false;
  }
  return true;
}

int main() {
  if (!has_gpu()) return 77;
  constexpr int k = 16;
  tensor_shape const largest{{4, 8192, 3}};
  managed_array<float> points{4 * 8192 * 3};
  managed_array<std::int32_t> lists{4 * 8192 * k};
  std::mt19937 random{1};
  std::uniform_int_distribution<int> millimeter{0, 1000};  // small whole numbers: their squares are exact
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<float>(millimeter(random));

  knn_plugin plugin{k};
  plugin.configurePlugin(&largest);
  managed_array<unsigned char> workspace{plugin.getWorkspaceSize()};
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  bool right = true;
  for (tensor_shape const shape : {largest, tensor_shape{{1, 8192, 3}}, tensor_shape{{3, 700, 3}}}) {
    void const* const inputs[] = {points.data()};
    void* const outputs[] = {lists.data()};
    if (plugin.enqueue(&shape, inputs, outputs, workspace.data(), stream) != 0) return 1;
    cudaStreamSynchronize(stream);
    bool const this_one = is_right(points, lists, shape, k);
    std::printf("[%d, %d, 3]: %s\n", shape.dims[0], shape.dims[1], this_one ? "right" : "WRONG");
    right = right && this_one;
  }
  // A shape that the engine did not announce needs more than was promised: refused, and nothing is written.
  managed_array<float> more_points{16 * 8192 * 3};
  managed_array<std::int32_t> more_lists{16 * 8192 * k};
  tensor_shape const too_large{{16, 8192, 3}};
  void const* const inputs[] = {more_points.data()};
  void* const outputs[] = {more_lists.data()};
  right = right && plugin.enqueue(&too_large, inputs, outputs, workspace.data(), stream) != 0;
  cudaStreamDestroy(stream);
  return right && cudaGetLastError() == cudaSuccess ? 0 : 1;
}

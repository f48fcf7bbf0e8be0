// Tensors of torch, CuPy, JAX or numpy by DLPack: clouds come in as they lie in memory, samples go out as a tensor that
// the other framework owns.
#include <farpoint/fps.hpp>
#include <farpoint/interop/dlpack.hpp>

#include <cstdio>
#include <memory>
#include <vector>

//! [operator]
/// The indices of `samples` points of each cloud, `[clouds, samples]`; null where the tensor cannot be read so.
/// @param points  `[clouds, n, 3]`, float
DLManagedTensor* sample(DLTensor const& points, std::int64_t samples) {
  if (!farpoint::is_on_host(points)) return nullptr;  // is_on_device(): the same with a stream, and fps.cuh
  farpoint::batch clouds{farpoint::point_view<float>{}};
  if (auto const viewed = farpoint::view_dlpack(points, clouds); !viewed) {
    std::printf("%s\n", viewed.reason);
    return nullptr;
  }
  auto picks = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(clouds.size() * samples));
  farpoint::fps_params params;
  params.samples = samples;
  farpoint::host_exec const exec{};
  farpoint::host_scratch const workspace{fps_workspace_bytes(exec, clouds, params)};
  if (!fps(exec, clouds, params, {*picks}, workspace)) return nullptr;
  std::int32_t* const data = picks->data();
  return farpoint::make_dlpack(data, std::array<std::int64_t, 2>{clouds.size(), samples}, points.device, picks);
}
//! [operator]

int main() {
  // The DLTensor that torch passes for a tensor of two clouds of four points, `[2, 4, 3]`.
  std::vector<float> values{0, 0, 0, 1, 0, 0, 0, 5, 0, 9, 0, 0, /**/ 7, 7, 7, 7, 7, 8, 7, 7, 7, 0, 0, 0};
  std::int64_t shape[] = {2, 4, 3};
  DLTensor tensor{};
  tensor.data = values.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 3;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape;
  if (farpoint::is_on_device(tensor)) return 1;

  DLManagedTensor* const given = sample(tensor, 2);
  if (given == nullptr) return 1;
  farpoint::span<std::int32_t const> picks;
  bool const right = view_dlpack(given->dl_tensor, picks) && picks.size() == 4 && picks[0] == 0 && picks[1] == 3 &&
                     picks[2] == 0 && picks[3] == 3;
  given->deleter(given);  // as its new owner does
  std::printf("samples of both clouds: %s\n", right ? "the first point and the farthest" : "WRONG");

  tensor.dtype.bits = 64;
  return right && sample(tensor, 2) == nullptr ? 0 : 1;
}

// A file that includes the library and the headers: what the library has goes to the library, the rest to the headers,
// and nothing is ambiguous.
#include <farpoint/fps.cuh>
#include <farpoint/gather.cuh>
#include <farpoint/hash_map.cuh>
#include <farpoint/offsets_of_sizes.cuh>
#include <farpoint/pillar_features.cuh>
#include <farpoint/quadtree.cuh>
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/stream_bounds.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>
#include <farpoint/voxelize.cuh>

#include "library_and_headers.hpp"

namespace farpoint_tests {

bound_functions bounds_of_headers() {
  using points = farpoint::point_view<float>;
  return {farpoint::fps_workspace_bound<points>, farpoint::voxelize_workspace_bound<points>};
}

/// All on a stream, which is an execution.
farpoint::result call_library_and_headers(cudaStream_t stream, farpoint::hash_map_ref<std::uint32_t> of_library,
                                          farpoint::hash_map_ref<std::int32_t> of_headers,
                                          farpoint::span<std::uint32_t const> keys,
                                          farpoint::span<std::int32_t const> signed_keys,
                                          farpoint::span<float> values) {
  farpoint::index_view const indices{signed_keys};
  farpoint::result outcome = hash_map_insert(stream, of_library, keys, keys);
  if (outcome) outcome = hash_map_insert_keys(stream, of_headers, signed_keys);
  if (outcome) outcome = gather(stream, farpoint::span<float const>{values}, 3, indices, values);
  if (outcome) outcome = offsets_of_sizes(stream, indices, farpoint::span<farpoint::index_t>{});
  return outcome;
}

}  // namespace farpoint_tests

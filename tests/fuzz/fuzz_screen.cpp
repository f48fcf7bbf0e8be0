// knn() in screen space on the host, against a z-buffer and brute force.
#include <farpoint/knn_screen.hpp>
#include <farpoint/reference/knn_screen.hpp>

#include "../screen/knn_screen_tuned.hpp"
#include "../support/team_tuning.hpp"
#include "fuzz_clouds.hpp"
#include "fuzz_compare.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

using camera_type = farpoint::pinhole_camera<float>;

/// Draws a camera in front of the unit cube, or anywhere.
camera_type take_camera(fuzz_input& input) {
  camera_type camera;
  // Larger images take the reference too long.
  auto const side = [&] {
    index_t const usual = 1 + input.below(48);
    index_t const drawn = input.take_count(usual);
    return static_cast<std::int32_t>(drawn > 48 && drawn <= 8192 ? usual : drawn);
  };
  camera.width = side();
  camera.height = side();
  for (int axis = 0; axis < 2; ++axis) {
    camera.focal[axis] = static_cast<float>(input.take_length(48 * input.unit()));
    camera.center[axis] = static_cast<float>(input.take_length(48 * input.unit()));
  }
  camera.translation = {{-0.5f, -0.5f, 1}};
  if (input.flag()) {
    for (int axis = 0; axis < 3; ++axis) {
      camera.translation[axis] = static_cast<float>(input.take_length(3 * input.unit() - 1.5));
      for (int column = 0; column < 3; ++column) {
        camera.rotation[axis][column] = static_cast<float>(input.take_length(2 * input.unit() - 1));
      }
    }
    camera.near_depth = static_cast<float>(input.take_length(input.unit()));
    camera.far_depth = static_cast<float>(input.take_length(4 * input.unit()));
  }
  return camera;
}

struct screen_request {
  fuzz_clouds data;
  farpoint::screen_space<camera_type> method;
  std::size_t rows = 0, visible = 0, lists = 0;  ///< that the arrays are made for
  unsigned wanted = 0;

  explicit screen_request(fuzz_input& input) : data{input, 300, 1} {
    method.camera = take_camera(input);
    if (input.flag()) method.rounds = static_cast<int>(input.below(6)) - (input.rarely() ? 3 : 0);
    if (input.flag()) method.candidates = input.take_count(input.below(60));
    if (input.flag()) method.max_radius = input.take_length(2 * input.unit());
    method.exclude_self = input.flag();
    if (input.flag()) method.rows = farpoint::screen_rows::input;
    method.layers = 1 + static_cast<int>(input.below(method.rounds == farpoint::until_exact ? 4 : 6));
    if (input.rarely()) method.layers = static_cast<int>(input.below(40)) - 10;
    index_t const usual_k = 1 + input.below(input.rarely() ? 1024 : 40);
    method.k = input.take_count(usual_k);
    index_t const pixels = index_t{method.camera.width} * method.camera.height * method.layers;
    auto const seen = static_cast<std::size_t>(std::clamp<index_t>(pixels, 0, data.points));
    auto const size = [&](std::size_t usual) {
      return input.rarely() ? static_cast<std::size_t>(input.below(600)) : usual;
    };
    visible = size(seen);
    rows = size(method.rows == farpoint::screen_rows::input ? static_cast<std::size_t>(data.points) : seen);
    lists = size(rows * static_cast<std::size_t>(usual_k));
    wanted = input.take<std::uint8_t>();
    if (input.flag()) method.first_area = static_cast<float>(8 * input.unit());
  }

  farpoint::knn_screen_output<float> output_in(fuzz_memory& memory) const {
    farpoint::knn_screen_output<float> output;
    output.indices = memory.output<std::int32_t>(lists);
    if ((wanted & 1) != 0) output.distances = memory.output<float>(lists);
    if ((wanted & 2) != 0) output.counts = memory.output<std::int32_t>(rows);
    if ((wanted & 4) != 0) output.pixels = memory.output<std::int64_t>(rows);
    if ((wanted & 8) != 0) output.visible = memory.output<std::int32_t>(visible);
    if ((wanted & 16) != 0) output.visible_count = memory.output<std::int32_t>(1);
    if ((wanted & 32) != 0) output.report = memory.output<farpoint::knn_screen_report>(1).data();
    return output;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  fuzz_input input{data, size};
  host_exec const exec{1 + static_cast<int>(input.below(3))};
  auto const tuning = input.flag() ? team_tuning() : farpoint::detail::for_each_cloud_tuning{};
  bool const sizes_only = input.rarely();
  fuzz_workspace const workspace{input};
  screen_request const asked{input};
  if (sizes_only) {
    auto const offsets = take_offsets(input, input.below(5), 100);
    auto method = asked.method;
    method.layers = static_cast<int>(input.take<std::int32_t>());
    method.camera.width = input.take<std::int32_t>();
    method.k = input.take<index_t>();
    (void)farpoint::knn_workspace_bytes(host_exec{static_cast<int>(input.take_count(3))},
                                        take_unbacked_batch(input, offsets), method);
    return 0;
  }
  compare_with_reference(
      "knn in screen space", workspace,
      [&](fuzz_memory& memory) -> std::size_t {
        auto const clouds = asked.data.in(memory);
        if (!farpoint::detail::check_knn_screen(clouds, asked.method, asked.output_in(memory))) return 0;
        return knn_screen_tuned_bytes(exec, clouds, asked.method, tuning);
      },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        return knn_screen_tuned(exec, asked.data.in(memory), asked.method, asked.output_in(memory), bytes, tuning);
      },
      [&](fuzz_memory& memory) {
        return farpoint::reference::knn(asked.data.in(memory), asked.method, asked.output_in(memory));
      });
  return 0;
}

// knn() in screen space under load.
#include <farpoint/knn_screen.cuh>
#include <farpoint/knn_screen.hpp>

#include "../screen/device/knn_screen_on_device.cuh"
#include "batches.hpp"
#include "calls.hpp"

namespace farpoint_stress {
namespace {

struct screen_work {
  batch_data data;
  farpoint::screen_space<farpoint::pinhole_camera<float>> method;

  template <class Exec, class Memory>
  farpoint::result operator()(Exec exec, Memory& memory) const {
    auto const clouds = data.in(memory);
    index_t const pixels = index_t{method.camera.width} * method.camera.height * method.layers;
    auto const visible = static_cast<std::size_t>(std::min(data.points(), pixels));
    std::size_t const rows =
        method.rows == farpoint::screen_rows::visible ? visible : static_cast<std::size_t>(data.points());
    farpoint::knn_screen_output<float> output;
    output.indices = memory.template output<std::int32_t>(rows * static_cast<std::size_t>(method.k));
    output.distances = memory.template output<float>(rows * static_cast<std::size_t>(method.k));
    output.counts = memory.template output<std::int32_t>(rows);
    output.pixels = memory.template output<std::int32_t>(rows);
    output.visible = memory.template output<std::int32_t>(visible);
    output.visible_count = memory.template output<std::int32_t>(1);
    output.report = memory.template output<farpoint::knn_screen_report>(1).data();
    return farpoint::knn(exec, clouds, method, output,
                         memory.scratch(farpoint::knn_workspace_bytes(exec, clouds, method)));
  }
};

}  // namespace

void add_screen_calls(call_list& calls, call_sizes sizes, std::uint64_t seed) {
  bool const table = sizes == call_sizes::table;
  screen_work work;
  work.data = even_batch(1, table ? 1000000 : 100000, seed);
  work.method.camera = farpoint_tests::camera_at_cube<float>(table ? 1920 : 320, table ? 1080 : 240);
  work.method.camera.translation = {{-50, -50, 100}};
  work.method.k = 8;
  std::string const of = with_commas(work.data.points());
  calls.push_back(make_call("knn in screen space " + of + ", k 8", std::move(work)));
}

std::unique_ptr<stress_call> random_screen_call(std::uint64_t seed) {
  random_source random{seed};
  screen_work work;
  work.data = random_batch(random, random.below(6) == 0 ? 60000 : 4000, 1);
  auto const side = [&] { return static_cast<int>(1 + random.below(200)); };
  work.method.camera = farpoint_tests::camera_at_cube<float>(side(), side());
  if (random.below(3) == 0) work.method.rounds = 1 + static_cast<int>(random.below(4));
  if (work.method.rounds == farpoint::until_exact) work.method.layers = 1 + static_cast<int>(random.below(4));
  if (random.below(3) == 0) work.method.max_radius = random.uniform();
  if (random.below(2) == 0) work.method.rows = farpoint::screen_rows::input;
  work.method.exclude_self = random.below(2) == 0;
  work.method.k = 1 + random.below(40);
  return make_call("random knn in screen space " + std::to_string(seed), std::move(work));
}

}  // namespace farpoint_stress

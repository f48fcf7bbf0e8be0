// fps() under load.
#include <farpoint/fps.cuh>
#include <farpoint/fps.hpp>

#include "../fps/device/every_kernel.cuh"
#include "../fps/fps_arguments.hpp"
#include "batches.hpp"
#include "calls.hpp"

namespace farpoint_stress {
namespace {

struct fps_work {
  batch_data data;
  farpoint_tests::fps_arguments<std::int32_t> asked;

  template <class Exec, class Memory>
  farpoint::result operator()(Exec exec, Memory& memory) const {
    auto const clouds = data.in(memory);
    auto const params = asked.in(memory);
    auto const rows = static_cast<std::size_t>(data.clouds);
    auto const samples = rows * static_cast<std::size_t>(params.samples);
    farpoint::fps_output<float> output;
    output.indices = memory.template output<std::int32_t>(samples);
    output.distances = memory.template output<float>(samples);
    output.counts = memory.template output<std::int32_t>(rows);
    output.report = memory.template output<farpoint::fps_report>(1).data();
    return farpoint::fps(exec, clouds, params, output,
                         memory.scratch(farpoint::fps_workspace_bytes(exec, clouds, params)));
  }
};

void add(call_list& calls, index_t clouds, index_t size, index_t samples, std::uint64_t seed, bool ragged = false) {
  fps_work work;
  work.data = even_batch(clouds, size, seed);
  work.asked.params.samples = samples;
  if (ragged) {
    for (index_t b = 0; b <= clouds; ++b) work.data.offsets.push_back(b * size);
  }
  std::string const shape = (ragged ? "ragged " : "") + std::to_string(clouds) + " x " + with_commas(size);
  calls.push_back(make_call("fps " + shape + " -> " + with_commas(samples), std::move(work)));
}

}  // namespace

void add_fps_calls(call_list& calls, call_sizes sizes, std::uint64_t seed) {
  if (sizes == call_sizes::table) {
    add(calls, 16, 1024, 512, seed);        // regions
    add(calls, 100, 8192, 512, seed);       // regions, a block each
    add(calls, 6, 9000, 1024, seed, true);  // all blocks shared out
    add(calls, 4, 16384, 1024, seed);       // teams of 32 blocks
    add(calls, 1, 49497, 1024, seed);       // a team of 97 blocks
    add(calls, 1, 131072, 1024, seed);      // a team of all blocks
    add(calls, 1, 1000000, 1000, seed);
  } else {
    add(calls, 8, 1024, 256, seed);
    add(calls, 2, 16384, 300, seed);
    add(calls, 1, 45000, 300, seed);
    add(calls, 1, 200000, 300, seed);
  }
}

std::unique_ptr<stress_call> random_fps_call(std::uint64_t seed) {
  random_source random{seed};
  fps_work work;
  bool const large = random.below(6) == 0;
  work.data = random_batch(random, large ? 150000 : 6000, large ? 1 : 1 + random.below(8));
  work.asked.params.samples = 1 + random.below(80);
  if (random.below(3) == 0) work.asked.params.stop_below = random.uniform();
  index_t const each = random.below(4);
  for (index_t b = 0; b < work.data.clouds; ++b) {
    auto const below = [&](index_t size) { return static_cast<std::int32_t>(size == 0 ? 0 : random.below(size)); };
    index_t const size = work.data.size_of(b);
    work.asked.firsts.push_back(below(size));
    for (index_t i = 0; i < each; ++i) work.asked.chosen.push_back(below(size + 1) - 1);
  }
  return make_call("random fps " + std::to_string(seed), std::move(work));
}

}  // namespace farpoint_stress

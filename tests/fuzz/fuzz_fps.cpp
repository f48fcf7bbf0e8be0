// fps() on the host, against the serial loop.
#include <farpoint/fps.hpp>
#include <farpoint/reference/fps.hpp>

#include "../fps/fps_arguments.hpp"
#include "../fps/fps_tuned.hpp"
#include "fuzz_clouds.hpp"
#include "fuzz_compare.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

struct fps_request {
  fuzz_clouds data;
  fps_arguments<std::int64_t> asked;
  std::size_t indices = 0, distances = 0, counts = 0;  ///< elements of the outputs

  explicit fps_request(fuzz_input& input) : data{input, 300, 6} {
    index_t const samples = 1 + input.below(400);
    asked.params.samples = input.take_count(samples);
    asked.params.first = input.take_count(input.below(20));
    asked.params.stop_below = input.flag() ? input.take_length(input.unit()) : 0;
    auto const rows = data.rows();
    if (input.flag()) {
      for (std::size_t b = 0; b < rows; ++b) {
        asked.firsts.push_back(static_cast<std::int32_t>(input.take_count(input.below(10))));
      }
    }
    if (input.flag()) {
      auto const each = rows * static_cast<std::size_t>(input.below(4));
      for (std::size_t i = 0; i < each; ++i) asked.chosen.push_back(input.take_count(input.below(10) - 1));
    }
    auto const size = [&](std::size_t usual) {
      return input.rarely() ? static_cast<std::size_t>(input.below(index_t{2} * 400)) : usual;
    };
    indices = size(rows * static_cast<std::size_t>(samples));
    distances = input.flag() ? size(indices) : 0;
    counts = input.flag() ? size(rows) : 0;
  }

  farpoint::fps_output<float> output_in(fuzz_memory& memory) const {
    farpoint::fps_output<float> output;
    output.indices = memory.output<std::int32_t>(indices);
    if (distances > 0) output.distances = memory.output<float>(distances);
    if (counts > 0) output.counts = memory.output<std::int64_t>(counts);
    output.report = memory.output<farpoint::fps_report>(1).data();
    return output;
  }
};

/// Few points in a bucket and short lists: small clouds go through everything that large ones go through.
farpoint::fps_host_tuning take_tuning(fuzz_input& input) {
  farpoint::fps_host_tuning tuning;
  if (input.flag()) {
    tuning.bucket_points = 1 + input.below(64);
    tuning.list_points = 1 + input.below(100);
    tuning.sort_from_samples = input.below(20);
    tuning.rounds_for_one_chunk = input.flag();
    tuning.worth_a_thread = 1e-3;
    tuning.team_from_points = 1;
  }
  return tuning;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  fuzz_input input{data, size};
  host_exec const exec{1 + static_cast<int>(input.below(3))};
  auto const tuning = take_tuning(input);
  if (input.rarely()) {
    farpoint::fps_params params;
    params.samples = input.take<index_t>();
    auto const offsets = take_offsets(input, input.below(5), 100);
    (void)farpoint::fps_workspace_bytes(host_exec{static_cast<int>(input.take_count(3))},
                                        take_unbacked_batch(input, offsets), params);
    return 0;
  }
  fuzz_workspace const workspace{input};
  fps_request const request{input};
  compare_with_reference(
      "fps", workspace,
      [&](fuzz_memory& memory) {
        return fps_tuned_bytes(exec, request.data.in(memory), request.asked.in(memory), tuning);
      },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        return fps_tuned(exec, request.data.in(memory), request.asked.in(memory), request.output_in(memory), bytes,
                         tuning);
      },
      [&](fuzz_memory& memory) {
        return farpoint::reference::fps(request.data.in(memory), request.asked.in(memory), request.output_in(memory));
      });
  return 0;
}

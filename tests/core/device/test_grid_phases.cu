// grid_phases in ordinary launches: every unit once, in order, and what a phase wrote is there in the next.
#include <farpoint/grid/grid_phases.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/multiprocessors.cuh"

#include <algorithm>
#include <vector>

using namespace farpoint_tests;

namespace {

struct phases_args {
  farpoint::grid_phase* phases;  ///< `[count + 1]`
  unsigned const* units;         ///< `[count]`
  std::uint32_t* words;          ///< `[2, most units]`
  unsigned* times;               ///< `[count, most units]`: how often a unit was worked on
  unsigned* finished;            ///< `[count]`: units that finish() has counted
  unsigned* wrong;
  unsigned count;
  unsigned max_units;
};

__host__ __device__ inline std::uint32_t word_of(unsigned phase, unsigned unit) {
  return phase * 2654435761u ^ unit * 40503u ^ 1u;
}

/// A unit waits for the one before, reads what units of the phase before have written, and writes a word itself.
__global__ void phases_kernel(phases_args const args) {
  __shared__ farpoint::grid_phases::storage shared;
  farpoint::grid_phases phases{args.phases, shared};
  unsigned before = 0;
  for (unsigned phase = 0; phase < args.count; ++phase) {
    unsigned const units = args.units[phase];
    unsigned worked = 0;
    auto const work = [&](unsigned unit) {
      unsigned* const times = args.times + std::size_t{phase} * args.max_units;
      if (threadIdx.x == 0) {
        ++worked;
        while (unit > 0 && farpoint::atomic_load(&times[unit - 1]) == 0) {
        }
        atomicAdd(&times[unit], 1u);
        args.words[phase % 2 * args.max_units + unit] = word_of(phase, unit);
      }
      std::uint32_t const* const words = args.words + (phase + 1) % 2 * args.max_units;
      for (unsigned other = threadIdx.x; other < before; other += blockDim.x) {
        if (words[other] != word_of(phase - 1, other)) atomicAdd(args.wrong, 1u);
      }
    };
    auto const finish = [&] {
      if (threadIdx.x == 0) atomicAdd(&args.finished[phase], worked);
      worked = 0;
    };
    if (phase + 1 < args.count) {
      phases.run(units, work, finish);
      if (threadIdx.x == 0 && farpoint::atomic_load(&args.finished[phase]) != units) atomicAdd(args.wrong, 1u);
    } else {
      phases.run_last(units, [&](unsigned unit) {
        work(unit);
        finish();
      });
    }
    before = units;
  }
}

/// @param enqueue  what else is on the device: called with a function that enqueues the phases on a stream
template <class Around>
void check_phases(unsigned blocks, unsigned threads, std::vector<unsigned> const& units, Around const& around) {
  CAPTURE(blocks, threads, units);
  std::size_t const most = std::max(1u, *std::max_element(units.begin(), units.end()));
  device_array<farpoint::grid_phase> const phases{std::vector<farpoint::grid_phase>(units.size() + 1)};
  device_array<unsigned> const device_units{units};
  device_array<std::uint32_t> const words{2 * most};
  device_array<unsigned> const times{std::vector<unsigned>(units.size() * most)};
  device_array<unsigned> const finished{std::vector<unsigned>(units.size())};
  device_array<unsigned> const wrong{std::vector<unsigned>(1)};
  phases_args const args{phases.data(),
                         device_units.data(),
                         words.data(),
                         times.data(),
                         finished.data(),
                         wrong.data(),
                         static_cast<unsigned>(units.size()),
                         static_cast<unsigned>(most)};
  test_stream const stream;
  around(stream.get(), [&] {
    phases_kernel<<<blocks, threads, 0, stream.get()>>>(args);
    REQUIRE_CUDA(cudaGetLastError());
  });
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(wrong.download()[0] == 0);
  CHECK(finished.download() == units);
  std::vector<unsigned> expected(units.size() * most);
  for (std::size_t phase = 0; phase < units.size(); ++phase) {
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(phase * most), units[phase], 1u);
  }
  bool const once = times.download() == expected;
  CHECK(once);
  bool const intact = phases.intact() && words.intact() && times.intact() && finished.intact() && wrong.intact();
  CHECK(intact);
}
void check_phases(unsigned blocks, unsigned threads, std::vector<unsigned> const& units) {
  check_phases(blocks, threads, units, [](cudaStream_t, auto const& enqueue) { enqueue(); });
}

}  // namespace

TEST_CASE("grid_phases: every unit once", "[grid_phases][device][sanitize]") {
  for (unsigned const blocks : {1u, 2u, 3u, 16u}) {
    check_phases(blocks, 32, {1});
    check_phases(blocks, 1, {1, 2, 3, 0, 5, 16, 17, 0, 0, 1});
    check_phases(blocks, 100, {16, 3, 40, 16, 2, 100});
  }
}
TEST_CASE("grid_phases: more blocks than the device holds, and many phases", "[grid_phases][device]") {
  std::vector<unsigned> units;
  for (unsigned phase = 0; phase < 300; ++phase) units.push_back(phase * phase * 7 % 501);
  for (unsigned const threads : {32u, 256u, 1024u}) {
    for (unsigned const blocks : {1u, 7u, 132u, 5000u}) check_phases(blocks, threads, units);
  }
}
TEST_CASE("grid_phases: few blocks run, as others have the device", "[grid_phases][device]") {
  std::vector<unsigned> units;
  for (unsigned phase = 0; phase < 40; ++phase) units.push_back(phase * 13 % 301);
  check_phases(1, 1024, units);  // loads the kernel, for which the device must be idle
  for (unsigned const blocks : {2u, 132u, 1000u}) {
    check_phases(blocks, 1024, units, [](cudaStream_t stream, auto const& enqueue) {
      held_multiprocessors const others{multiprocessor_count() - 1};
      enqueue();
      others.check_ends(stream);
    });
  }
}

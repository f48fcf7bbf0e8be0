// knn() in screen space on cuda_exec: the shared cases, of floats also with blocks of another size.
#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "knn_screen_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Few and small blocks: tiles are divided in other ways, and all wait for one another. The index has one tile of many
/// chunks; a large image has more points than are sorted together.
struct small_blocks : farpoint::knn_screen_selector {
  static constexpr int block_size = 96;
  static constexpr int search_block_size = 32;
  static constexpr int blocks_per_multiprocessor = 1;
  static constexpr farpoint::index_t tile_points = farpoint::index_t{1} << 30;
  static constexpr farpoint::index_t tiles = 1;
  static constexpr farpoint::index_t upper_slots = 256;
};

template <class Problem>
auto solve_screen(Problem const& problem) {
  auto const answer = screen_on_device<farpoint::knn_screen_selector>(problem);
  if constexpr (std::is_same_v<Problem, pinhole_problem<float>>) {
    auto const other = screen_on_device<small_blocks>(problem);
    check_answer(other, answer);
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../knn_screen_tests.inc"

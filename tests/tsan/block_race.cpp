// Built with ThreadSanitizer, which must find nothing: block_argmax on host threads, its storage reused at once and for
// other things, and fps() on a team of threads.
#include <farpoint/block/block_argmax.hpp>
#include <farpoint/fps.hpp>

#include <cstdio>

#include "../fps/fps_problem.hpp"
#include "../support/host_block.hpp"

using namespace farpoint_tests;

namespace {

template <class Score, int BlockSize>
bool argmax_is_right() {
  using argmax_type = farpoint::block_argmax<Score, BlockSize>;
  union shared_memory {
    typename argmax_type::storage storage;
    int other[BlockSize];
  } shared{};
  std::vector<int> wrong(BlockSize, 0);
  farpoint_tests::host_block<BlockSize>::run([&](auto const& block) {
    for (int round = 0; round < 6; ++round) {
      int const rank = block.rank();
      auto const best =
          argmax_type{shared.storage}.reduce(block, {static_cast<Score>((rank * 7 + round) % BlockSize), rank});
      // Reusable on return: another thread may still be inside reduce() if it is not.
      shared.other[rank] = rank;
      block.sync();
      if ((best.index * 7 + round) % BlockSize != static_cast<int>(best.score))
        wrong[static_cast<std::size_t>(rank)] = 1;
    }
    for (int round = 0; round < 6; ++round) {
      argmax_type{shared.storage}.reduce_in_turn(block, {static_cast<Score>(block.rank()), block.rank()}, round);
    }
  });
  return std::find(wrong.begin(), wrong.end(), 1) == wrong.end();
}

bool fps_is_right() {
  fps_problem<float> problem{make_cloud(shape::cube, 20000, 5), 60};
  problem.offsets = {0, 9000, 9100, 20000};
  auto const answer = collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    farpoint::host_exec const exec{5};
    farpoint::detail::host_workspace const workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    return farpoint::fps(exec, clouds, params, output, workspace.get());
  });
  return same_answer(answer, reference_answer(problem));
}

}  // namespace

int main() {
  bool const right = argmax_is_right<float, 64>() && argmax_is_right<double, 64>() && argmax_is_right<float, 45>() &&
                     argmax_is_right<std::int32_t, 97>() && argmax_is_right<double, 97>() && fps_is_right();
  std::puts(right ? "right, and no race reported above" : "WRONG RESULT");
  return right ? 0 : 1;
}

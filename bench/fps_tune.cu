/// @file
/// The search for the constants of include/farpoint/tuning/fps.hpp: every shape that makes sense, on every row it fits.
///
/// Range to search, block kernel: block_size 32..1024 in powers of two, points_per_thread 1..24 (a point takes four
/// registers, and fps() turns down shapes above 24; beyond 8 at 1,024 threads and 16 at 512 they start to spill).
/// Streaming kernel: streaming_block_size 128..1024. To try a value that is not here, add it to a list below. To adopt
/// one, write it into fps_selector with the row, the GPU and the factor that it won by as its comment.

#include "fps_register.cuh"

#include <string>

namespace farpoint_bench {
namespace {

/// Everything in one shape of the block kernel.
template <int BlockSize, int PointsPerThread>
struct block_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{BlockSize, PointsPerThread}};
  static constexpr int streaming_block_size = farpoint::fps_selector::streaming_block_size;
};

/// Everything beyond 32 points in the streaming kernel.
template <int BlockSize>
struct streaming_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{32, 1}};
  static constexpr int streaming_block_size = BlockSize;
};

template <int...>
struct ints {};

constexpr fps_row block_rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 0, 100},   {32, 2'048, 512, cloud_kind::uniform, 0, 100},
    {32, 4'096, 1'024, cloud_kind::uniform, 0, 100}, {16, 8'192, 1'024, cloud_kind::uniform, 0, 50},
    {6, 10'000, 1'000, cloud_kind::uniform, 0, 50},  {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
};

constexpr fps_row streaming_rows[] = {
    {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
    {1, 131'072, 1'024, cloud_kind::uniform, 0, 10},
};

/// A shape that holds the row without leaving more than half of its registers empty.
bool suits(farpoint::fps_block_tuning shape, fps_row const& row) {
  return row.points <= shape.capacity() && 2 * row.points > shape.capacity();
}

template <int BlockSize, int PointsPerThread>
void register_block(fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  using selector = block_selector<BlockSize, PointsPerThread>;
  if (!suits(selector::blocks[0], row)) return;
  std::string const name =
      "tune/" + row.name() + "/block_" + std::to_string(BlockSize) + "_points_" + std::to_string(PointsPerThread);
  register_farpoint<selector>(name, row, row.calls, how::launched, flush_l2, problems);
}

template <int BlockSize, int... PointsPerThread>
void register_blocks(ints<PointsPerThread...>, fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  (register_block<BlockSize, PointsPerThread>(row, flush_l2, problems), ...);
}

template <int... BlockSize>
void register_streaming(ints<BlockSize...>, fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  (register_farpoint<streaming_selector<BlockSize>>("tune/" + row.name() + "/streaming_" + std::to_string(BlockSize),
                                                    row, row.calls, how::launched, flush_l2, problems),
   ...);
}

}  // namespace

void register_tuning(bool flush_l2, fps_problem_store& problems) {
  for (fps_row const& row : block_rows) {
    register_farpoint<farpoint::fps_selector>("tune/" + row.name() + "/default", row, row.calls, how::launched,
                                              flush_l2, problems);
    register_blocks<64>(ints<8, 16, 24>{}, row, flush_l2, problems);
    register_blocks<128>(ints<4, 8, 12, 16, 24>{}, row, flush_l2, problems);
    register_blocks<256>(ints<4, 8, 12, 16, 24>{}, row, flush_l2, problems);
    register_blocks<512>(ints<2, 4, 8, 16, 20, 24>{}, row, flush_l2, problems);
    register_blocks<1024>(ints<1, 2, 4, 8, 10, 12, 16>{}, row, flush_l2, problems);
  }
  for (fps_row const& row : streaming_rows) {
    register_streaming(ints<128, 256, 512, 1024>{}, row, flush_l2, problems);
  }
}

}  // namespace farpoint_bench

// Sizes of fps() by local maxima whose lists are so short that they overflow.
#pragma once

#include <farpoint/detail/fps/local_maxima/team_memory.hpp>

namespace farpoint_tests {

template <int Dim, int BlockSize, int PointsPerThread, bool Boxes, class Scalar = float>
struct FARPOINT_HIDDEN odd_config
    : farpoint::detail::local_maxima_config<Dim, BlockSize, PointsPerThread, Boxes, Scalar> {
  static constexpr unsigned found_size = 32;
  static constexpr unsigned listed_size = 4;
};

template <int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct FARPOINT_HIDDEN odd_chunk_config
    : farpoint::detail::local_maxima_chunk_config<Dim, BlockSize, PointsPerThread, Scalar> {
  static constexpr unsigned found_size = 32;
  static constexpr unsigned listed_size = 4;
};

template <int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct FARPOINT_HIDDEN odd_parts_config : odd_chunk_config<Dim, BlockSize, PointsPerThread, Scalar> {
  static constexpr bool in_parts = true;
};

template <int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct FARPOINT_HIDDEN odd_shared_chunk_config : odd_chunk_config<Dim, BlockSize, PointsPerThread, Scalar> {
  static constexpr bool in_shared = true;
};

}  // namespace farpoint_tests

#include "fill_rows.hpp"

#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/three_nn.hpp>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace library {
namespace {

template <class Word>
result zero(cuda_exec exec, padded_rows const& rows) noexcept {
  detail::zero_rows_past_written<Word> const body{rows};
  return for_each_index(exec, body.words(), body);
}

template <class Index>
result repeat(cuda_exec exec, index_span rows, index_t columns) noexcept {
  compat::detail::fill_by_first<Index> const body{static_cast<Index*>(rows.data()), columns, false, 0};
  return for_each_index(exec, rows.size() / columns, body, columns);
}

template <class Scalar>
result root(cuda_exec exec, index_span indices, span<Scalar> distances) noexcept {
  compat::detail::root_of_distance<Scalar> const body{distances, indices};
  return for_each_index(exec, static_cast<index_t>(distances.size()), body);
}

}  // namespace

result zero_rows_past_on_stream(cuda_exec exec, padded_rows const& rows) noexcept {
  bool even = true;
  for (auto const& part : rows.parts) even = even && part.width % 2 == 0;
  return even ? zero<std::uint32_t>(exec, rows) : zero<std::uint16_t>(exec, rows);
}

result repeat_first_on_stream(cuda_exec exec, index_span rows, index_t columns) noexcept {
  return rows.wide() ? repeat<std::int64_t>(exec, rows, columns) : repeat<std::int32_t>(exec, rows, columns);
}

result root_of_distances_on_stream(cuda_exec exec, index_span indices, span<float> distances) noexcept {
  return root(exec, indices, distances);
}

result root_of_distances_on_stream(cuda_exec exec, index_span indices, span<double> distances) noexcept {
  return root(exec, indices, distances);
}

}  // namespace library
FARPOINT_END_NAMESPACE

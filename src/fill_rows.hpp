// Kernels of the functions in runtime/stream_rows.hpp. stream_calls.cpp calls them if there is a usable GPU.
#pragma once

#include <farpoint/runtime/stream_rows.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

result zero_rows_past_on_stream(cuda_exec exec, padded_rows const& rows) noexcept;
result repeat_first_on_stream(cuda_exec exec, index_span rows, index_t columns) noexcept;
result root_of_distances_on_stream(cuda_exec exec, index_span indices, span<float> distances) noexcept;
result root_of_distances_on_stream(cuda_exec exec, index_span indices, span<double> distances) noexcept;

}  // namespace library
FARPOINT_END_NAMESPACE

// What runtime/stream_rows.hpp declares, by kernels: for stream_calls.cpp, which knows whether there is a GPU for them.
#pragma once

#include <farpoint/runtime/stream_rows.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

result zero_rows_past_on_stream(cuda_exec exec, padded_rows const& rows) noexcept;
result repeat_first_on_stream(cuda_exec exec, index_span rows, index_t columns) noexcept;

}  // namespace library
FARPOINT_END_NAMESPACE

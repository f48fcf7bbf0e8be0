/// @file
/// gather(), on a stream, from the compiled library.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/float16.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/gather.hpp>

FARPOINT_BEGIN_NAMESPACE

/// @name gather() of rows, and within the clouds of a batch: see <farpoint/gather.cuh>
///
/// Values of another type of the same size are copied as one of these. They are no templates: a call that gather.cuh's
/// template matches as well goes to the library.
/// @{
#define FARPOINT_GATHER_OF(Value)                                                                              \
  FARPOINT_API result gather(cuda_exec exec, span<Value const> features, index_t channels, index_view indices, \
                             span<Value> output, gather_report* report = nullptr) noexcept;                    \
  FARPOINT_API result gather(cuda_exec exec, feature_rows<Value const> features, index_view indices,           \
                             feature_rows<Value> output, gather_report* report = nullptr) noexcept;
FARPOINT_GATHER_OF(float)
FARPOINT_GATHER_OF(double)
FARPOINT_GATHER_OF(float16)
FARPOINT_GATHER_OF(std::int32_t)
FARPOINT_GATHER_OF(std::int64_t)
FARPOINT_GATHER_OF(std::uint8_t)
#undef FARPOINT_GATHER_OF
/// @}

FARPOINT_END_NAMESPACE

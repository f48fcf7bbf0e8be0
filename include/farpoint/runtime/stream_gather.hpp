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
/// Values of another type of the same size are copied as one of these.
/// @{
FARPOINT_API result gather(cuda_exec exec, span<float const> features, index_t channels, index_view indices,
                           span<float> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, feature_rows<float const> features, index_view indices,
                           feature_rows<float> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, span<double const> features, index_t channels, index_view indices,
                           span<double> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, feature_rows<double const> features, index_view indices,
                           feature_rows<double> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, span<float16 const> features, index_t channels, index_view indices,
                           span<float16> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, feature_rows<float16 const> features, index_view indices,
                           feature_rows<float16> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, span<std::int32_t const> features, index_t channels, index_view indices,
                           span<std::int32_t> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, feature_rows<std::int32_t const> features, index_view indices,
                           feature_rows<std::int32_t> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, span<std::int64_t const> features, index_t channels, index_view indices,
                           span<std::int64_t> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, feature_rows<std::int64_t const> features, index_view indices,
                           feature_rows<std::int64_t> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, span<std::uint8_t const> features, index_t channels, index_view indices,
                           span<std::uint8_t> output, gather_report* report = nullptr) noexcept;
FARPOINT_API result gather(cuda_exec exec, feature_rows<std::uint8_t const> features, index_view indices,
                           feature_rows<std::uint8_t> output, gather_report* report = nullptr) noexcept;
/// @}

FARPOINT_END_NAMESPACE

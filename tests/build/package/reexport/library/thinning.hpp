#pragma once

#include <farpoint/core/points.hpp>

#include <vector>

/// Indices of `count` points spread over the cloud.
std::vector<std::int32_t> thin(farpoint::point_view<float> points, int count);

// knn() in screen space on the host with a tuning of the test's. Other tests make the public call only.
#pragma once

#include <farpoint/knn_screen.hpp>

#include <cstddef>

namespace farpoint_tests {

template <class Points, class Method>
std::size_t knn_screen_tuned_bytes(farpoint::host_exec exec, farpoint::batch<Points> const& clouds,
                                   Method const& method, farpoint::detail::for_each_cloud_tuning const& tuning) {
  return farpoint::detail::knn_screen_host_plan{exec, clouds, method, tuning}.bytes();
}

/// @param workspace  knn_screen_tuned_bytes()
template <class Points, class Method, class Output>
farpoint::result knn_screen_tuned(farpoint::host_exec exec, farpoint::batch<Points> const& clouds, Method const& method,
                                  Output const& output, farpoint::bytes workspace,
                                  farpoint::detail::for_each_cloud_tuning const& tuning) {
  return farpoint::detail::knn_screen_host(exec, clouds, method, output, workspace, tuning);
}

}  // namespace farpoint_tests

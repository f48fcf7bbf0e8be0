// A program in which one file uses the library's functions and another file the headers' functions. Needs no GPU.
#include <farpoint/core/points.hpp>
#include <farpoint/runtime/stream_bounds.hpp>

#include "../../support/catch.hpp"
#include "library_and_headers.hpp"

using points = farpoint::point_view<float>;

// A linker that takes two functions for one lets the library, which calls the headers, call itself.
TEST_CASE("library: bounds are other functions than those of the headers", "[library]") {
  auto const headers = farpoint_tests::bounds_of_headers();
  farpoint_tests::bound_function const fps = farpoint::fps_workspace_bound<points>;
  farpoint_tests::bound_function const voxelize = farpoint::voxelize_workspace_bound<points>;
  CHECK(fps != headers.fps);
  CHECK(voxelize != headers.voxelize);
}

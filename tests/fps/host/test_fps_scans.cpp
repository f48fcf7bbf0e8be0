// fps() on host_exec: many samples of real scans.
#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../fps_scans.hpp"

using namespace farpoint_tests;

TEST_CASE("fps, host: a quarter of the points of real scans", "[fps][host][data][slow]") {
  // Every third point: on all points the serial loop takes nine times as long, 80 s for four scans.
  int const scans = for_quarters_of_scans(3, 70000, [](std::string const& name, auto const& problem) {
    CAPTURE(name);
    auto const expected = reference_answer(problem);
    auto const actual = host_exec_answer(problem);
    check_answer(actual, expected);
  });
  if (scans == 0) WARN("FARPOINT_DATA_DIR names no scan that is small enough: none was tested");
}

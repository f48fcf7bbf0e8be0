/// @file
/// The program host_peers: farpoint and other libraries on the host. See README.md.

#include "host_peers/register.hpp"
#include "support/suite.hpp"

#include <memory>
#include <vector>

namespace farpoint_bench {

int run_program(arguments const& args) {
  std::vector<named_scan> const scans = read_scans(args.cloud_paths);
  auto const searches = register_searches(scans);
  auto const clouds = register_clouds(scans);
  return run_host_suite("host_peers", args);
}

}  // namespace farpoint_bench

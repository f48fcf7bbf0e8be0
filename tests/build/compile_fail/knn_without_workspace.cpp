// expect: farpoint: knn() needs a workspace as its last argument: memory of knn_workspace_bytes() bytes
#include <farpoint/knn.hpp>

#include <array>
#include <vector>

#if defined(FARPOINT_CORRECTED)
#define WORKSPACE \
  , farpoint::bytes {}
#else
#define WORKSPACE
#endif

std::vector<std::array<float, 3>> const points(9);
std::vector<std::int32_t> rows(9);

int main() {
  farpoint::host_exec const exec{};
  farpoint::batch const cloud{farpoint::view_points(points)};
  bool const among_themselves = bool(knn(exec, cloud, farpoint::knn_params{1}, {rows} WORKSPACE));
  bool const by_queries = bool(knn(exec, cloud, cloud, farpoint::knn_params{1}, {rows} WORKSPACE));
  return among_themselves && by_queries ? 1 : 0;
}

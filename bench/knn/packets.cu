#include "knn/packets.cuh"

#include <string>

namespace farpoint_bench {
namespace {

template <farpoint::packet_steps Steps>
struct steps_selector : farpoint::knn_selector {
  static constexpr farpoint::packet_steps packets = Steps;
};

constexpr knn_cloud kinds[] = {knn_cloud::cube, knn_cloud::sphere, knn_cloud::lidar};

void register_steps(knn_row const& row, bool flush_l2, knn_problem_store& problems) {
  std::string const name = "packets/" + row.name() + "/";
  auto const with = [&](char const* who) {
    return knn_contender{name + who, row, row.calls, how::replayed, flush_l2, &problems};
  };
  using farpoint::packet_steps;
  register_farpoint<steps_selector<packet_steps::standard>>(with("standard"));
  register_farpoint<steps_selector<packet_steps::lean_merges>>(with("lean_merges"));
  register_farpoint<steps_selector<packet_steps::lean>>(with("lean"));
  register_farpoint<steps_selector<packet_steps::lean_by_set>>(with("lean_by_set"));
  register_farpoint<steps_selector<packet_steps::lean_wide>>(with("lean_wide"));
  register_farpoint<steps_selector<packet_steps::lean_ahead>>(with("lean_ahead"));
}

}  // namespace

void register_packets(bool flush_l2, knn_problem_store& problems) {
  for (farpoint::index_t const points : {100'000, 1'000'000}) {
    for (farpoint::index_t const k : {1, 8, 16, 32}) {
      for (knn_cloud const kind : kinds) register_steps({points, k, kind, 50}, flush_l2, problems);
    }
  }
  register_steps({1'000'000, 8, knn_cloud::heap, 20}, flush_l2, problems);
  for (named_scan const& scan : problems.scans()) {
    auto const points = static_cast<farpoint::index_t>(scan.xyz.size() / 3);
    register_steps({points, 8, knn_cloud::scan, 100, scan.name.c_str()}, flush_l2, problems);
  }
}

}  // namespace farpoint_bench

/// @file
/// fps() of small, ragged and continued calls, and of doubles.

#include "calls/calls.hpp"
#include "calls/measure.cuh"

#include <farpoint/fps.cuh>
#include <farpoint/fps.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

struct fps_case {
  batch_sizes sizes;
  farpoint::index_t clouds;
  farpoint::index_t points;
  farpoint::index_t samples;
  farpoint::index_t chosen = 0;  ///< points of each cloud that count as picked
};

template <class Scalar>
class fps_call {
 public:
  explicit fps_call(fps_case const& row)
      : row_{row}, clouds_{row.sizes, row.clouds, row.points, 1}, chosen_{chosen_of(row)} {}

  std::size_t words() const { return rows() * (1 + sizeof(Scalar) / 4); }
  template <class Exec>
  std::size_t bytes(Exec exec) const {
    return farpoint::fps_workspace_bytes(exec, clouds_.on(exec), params(exec));
  }
  template <class Exec>
  farpoint::result run(Exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    farpoint::fps_output<Scalar> output;
    output.distances = words_from<Scalar>(words, 0, rows());
    output.indices = words_from<std::int32_t>(words, rows() * sizeof(Scalar) / 4, rows());
    return farpoint::fps(exec, clouds_.on(exec), params(exec), output, workspace);
  }
  workload work() const {
    auto const n = static_cast<double>(row_.clouds * row_.points);
    return {n, n * static_cast<double>(row_.samples), n * 3 * sizeof(Scalar) + 4 * static_cast<double>(words())};
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(row_.clouds * row_.samples); }

  template <class Exec>
  farpoint::fps_params params(Exec exec) const {
    farpoint::fps_params params;
    params.samples = row_.samples;
    if (row_.chosen > 0) params.chosen = chosen_.on(exec);
    return params;
  }

  /// The first points of each cloud.
  static std::vector<std::int32_t> chosen_of(fps_case const& row) {
    std::vector<std::int32_t> chosen;
    for (farpoint::index_t i = 0; i < row.clouds * row.chosen; ++i) {
      chosen.push_back(static_cast<std::int32_t>(i % row.chosen));
    }
    return chosen;
  }

  fps_case row_;
  cloud_batch<Scalar> clouds_;
  mirrored<std::int32_t> chosen_;
};

template <class Scalar>
void add(fps_case const& row, bool flush_l2) {
  std::string const name = "fps/" + name_of<Scalar>(row.sizes, row.clouds, row.points) + "_to_" +
                           std::to_string(row.samples) +
                           (row.chosen > 0 ? "_chosen_" + std::to_string(row.chosen) : std::string{});
  register_call(name, 50, flush_l2, [row] { return std::make_unique<fps_call<Scalar>>(row); });
}

}  // namespace

void register_fps_calls(bool flush_l2) {
  for (farpoint::index_t const points : {1, 10, 100, 1'000}) {
    add<float>({batch_sizes::regular, 1, points, std::max<farpoint::index_t>(points / 4, 1)}, flush_l2);
  }
  for (batch_sizes const sizes : {batch_sizes::even, batch_sizes::uneven}) {
    add<float>({sizes, 16, 4'096, 1'024}, flush_l2);
    add<float>({sizes, 64, 1'024, 256}, flush_l2);
  }
  add<float>({batch_sizes::regular, 16, 4'096, 512, 512}, flush_l2);
  add<float>({batch_sizes::regular, 1, 131'072, 2'048, 2'048}, flush_l2);
  add<double>({batch_sizes::regular, 16, 1'024, 512}, flush_l2);
  add<double>({batch_sizes::regular, 1, 131'072, 4'096}, flush_l2);
}

}  // namespace farpoint_bench

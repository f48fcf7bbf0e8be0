/// @file
/// Calls on ranks that are GPUs.
#include "fps_params.hpp"
#include "module.hpp"

#if FARPOINT_PYTHON_GPU_RANKS
#include "gpu_ranks.hpp"
#include "radius_params.hpp"
#include "shard_arrays.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace farpoint_python {
namespace {

/// A call of Python. Its transport (see python_ranks.hpp) also has `others_failed()`: true if another rank has ended
/// the call.
class python_gpu_call : public gpu_call {
 public:
  python_gpu_call(gpu_ranks& of, place const& where, nb::object transport)
      : gpu_call{of, where.exec(), std::chrono::milliseconds{nb::cast<std::int64_t>(transport.attr("milliseconds"))}},
        where_{where},
        transport_{std::move(transport)} {}

  farpoint::bytes allocate(std::size_t size) override {
    nb::gil_scoped_acquire const locked;
    memory_.emplace_back(where_, size);
    return memory_.back().bytes();
  }

  bool is_over() noexcept override {
    nb::gil_scoped_acquire const locked;
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      return ++looks_ % looks_per_question == 0 && nb::cast<bool>(transport_.attr("others_failed")());
    } catch (...) {
      error_ = std::current_exception();
    }
    return true;
  }

  /// Returns work() without the GIL.
  template <class Work>
  farpoint::result run(Work const& work) {
    farpoint::result outcome;
    {
      nb::gil_scoped_release const unlocked;
      outcome = work();
    }
    if (!outcome && error_) std::rethrow_exception(error_);
    return outcome;
  }

 private:
  static constexpr unsigned looks_per_question = 10;  // a question may go over the network

  place const& where_;
  nb::object transport_;
  std::vector<device_memory> memory_;
  std::exception_ptr error_;
  unsigned looks_ = 0;
};

/// Makes a call. An exception that only this rank knows of aborts the communicator.
/// @param call  result(python_gpu_call&)
/// @return false where a rank had too little room for what others send, which all ranks then know
template <class Call>
bool on_gpus(gpu_ranks& ranks, place const& where, nb::object transport, Call const& call) {
  farpoint::result outcome;
  try {
    current_device const device{where};
    python_gpu_call made{ranks, where, std::move(transport)};
    outcome = call(made);
  } catch (...) {
    {
      nb::gil_scoped_release const unlocked;
      ranks.abort();
    }
    throw;
  }
  if (outcome.code == farpoint::status::workspace_too_small && outcome.needed == 0) return false;
  check(outcome);
  return true;
}

farpoint::point_view<float> points_on_gpu(input const& points) {
  if (!holds<float>(points)) refuse("points on GPUs are not float32");
  return points_of<float>(points, false);
}

gpu_part part_of(input const& points, index_t first_index) {
  return {points_on_gpu(points), first_index};
}

using bounds = std::array<double, 3>;

void add_samples_and_voxels(nb::module_& m) {
  m.def(
      "fps_shard_on_gpus",
      [](gpu_ranks& ranks, place const& where, nb::object transport, input const& points, index_t first_index,
         index_t samples, index_t first, double stop_below, std::optional<std::uint64_t> seed,
         optional_input const& chosen, output const& indices, output const& distances) {
        return on_gpus(ranks, where, std::move(transport), [&](python_gpu_call& call) {
          farpoint::fps_params params = fps_params_of(samples, first, stop_below, seed);
          params.chosen = indices_of(chosen);
          farpoint::fps_shard_output<float> out;
          out.indices = values_of<index_t>(indices);
          out.distances = values_of<float>(distances);
          auto const part = part_of(points, first_index);
          return call.run([&] { return fps_on_gpus(call, part, params, out); });
        });
      },
      nb::arg("ranks"), nb::arg("place"), nb::arg("transport"), nb::arg("points"), nb::arg("first_index"),
      nb::arg("samples"), nb::arg("first"), nb::arg("stop_below"), nb::arg("seed").none(), nb::arg("chosen").none(),
      nb::arg("indices"), nb::arg("distances"));
  m.def(
      "voxelize_shard_on_gpus",
      [](gpu_ranks& ranks, place const& where, nb::object transport, input const& points, index_t first_index,
         bounds const& lower, bounds const& upper, bounds const& size, std::optional<index_t> max_voxels,
         std::optional<index_t> max_points, bool zyx, nb::dict const& outputs, output const& numbers,
         index_t received_capacity) {
        room_outcome done;
        done.first = on_gpus(ranks, where, std::move(transport), [&](python_gpu_call& call) {
          auto const capacity = static_cast<index_t>(numbers.size());
          voxel_rows const rows{arrays_of(outputs, capacity, false, zyx), numbers, received_capacity};
          auto const part = part_of(points, first_index);
          auto const params =
              params_of<float>({lower, upper, size, max_voxels, max_points}, points, rows.arrays.reads_features());
          auto out = rows.of_rank<float>();
          out.received = &done.second;
          return call.run([&] { return voxelize_on_gpus(call, part, params, out); });
        });
        return done;
      },
      nb::arg("ranks"), nb::arg("place"), nb::arg("transport"), nb::arg("points"), nb::arg("first_index"),
      nb::arg("lower"), nb::arg("upper"), nb::arg("size"), nb::arg("max_voxels").none(), nb::arg("max_points").none(),
      nb::arg("zyx"), nb::arg("outputs"), nb::arg("numbers"), nb::arg("received_capacity"));
  m.def(
      "gather_voxels_on_gpus",
      [](gpu_ranks& ranks, place const& where, nb::object transport, input const& points, bounds const& lower,
         bounds const& upper, bounds const& size, std::optional<index_t> max_voxels, std::optional<index_t> max_points,
         bool zyx, nb::dict const& own, output const& numbers, nb::dict const& all, index_t capacity) {
        return on_gpus(ranks, where, std::move(transport), [&](python_gpu_call& call) {
          auto const own_capacity = static_cast<index_t>(numbers.size());
          voxel_rows const rows{arrays_of(own, own_capacity, false, zyx), numbers};
          voxelize_arrays const gathered = arrays_of(all, capacity, false, zyx);
          auto const params =
              params_of<float>({lower, upper, size, max_voxels, max_points}, points, rows.arrays.reads_features());
          auto const from = rows.of_rank<float>();
          auto const to = gathered.outputs<float>();
          return call.run([&] { return gather_on_gpus(call, params, from, to); });
        });
      },
      nb::arg("ranks"), nb::arg("place"), nb::arg("transport"), nb::arg("points"), nb::arg("lower"), nb::arg("upper"),
      nb::arg("size"), nb::arg("max_voxels").none(), nb::arg("max_points").none(), nb::arg("zyx"), nb::arg("own"),
      nb::arg("numbers"), nb::arg("all"), nb::arg("capacity"));
}

void add_searches(nb::module_& m) {
  m.def(
      "knn_shard_on_gpus",
      [](gpu_ranks& ranks, place const& where, nb::object transport, input const& points, index_t first_index,
         optional_input const& queries, index_t k, double max_radius, bool exclude_self, output const& indices,
         output const& distances) {
        return on_gpus(ranks, where, std::move(transport), [&](python_gpu_call& call) {
          farpoint::knn_shard_output<float> out;
          out.indices = values_of<index_t>(indices);
          out.distances = values_of<float>(distances);
          auto const part = part_of(points, first_index);
          auto const asked = queries ? points_on_gpu(*queries) : part.points;
          farpoint::knn_params const params{k, max_radius, exclude_self};
          return call.run([&] { return knn_on_gpus(call, part, asked, params, out); });
        });
      },
      nb::arg("ranks"), nb::arg("place"), nb::arg("transport"), nb::arg("points"), nb::arg("first_index"),
      nb::arg("queries").none(), nb::arg("k"), nb::arg("max_radius"), nb::arg("exclude_self"), nb::arg("indices"),
      nb::arg("distances"));
  m.def(
      "radius_shard_on_gpus",
      [](gpu_ranks& ranks, place const& where, nb::object transport, input const& points, index_t first_index,
         optional_input const& queries, double radius, bool nearest, bool exclude_self, bool exclusive, index_t max,
         output const& indices, output const& distances, output const& counts) {
        return on_gpus(ranks, where, std::move(transport), [&](python_gpu_call& call) {
          farpoint::radius_shard_output<float> out;
          out.indices = values_of<index_t>(indices);
          out.distances = values_of<float>(distances);
          out.counts = values_of<index_t>(counts);
          auto const part = part_of(points, first_index);
          auto const asked = queries ? points_on_gpu(*queries) : part.points;
          auto const params = radius_params_of(radius, nearest, exclude_self, exclusive, max);
          return call.run([&] { return radius_on_gpus(call, part, asked, params, out); });
        });
      },
      nb::arg("ranks"), nb::arg("place"), nb::arg("transport"), nb::arg("points"), nb::arg("first_index"),
      nb::arg("queries").none(), nb::arg("radius"), nb::arg("nearest"), nb::arg("exclude_self"), nb::arg("exclusive"),
      nb::arg("max"), nb::arg("indices"), nb::arg("distances"), nb::arg("counts"));
}

}  // namespace

void add_distributed_gpus(nb::module_& m) {
  m.def("load_nccl", &load_nccl, "Finds NCCL, or raises why there is none.");
  m.def("gpu_number", &gpu_number, nb::arg("device"), "Number of a GPU that no other one has, also on other hosts.");
  m.def(
      "make_nccl_id",
      [] {
        nccl_id const id = make_nccl_id();
        return nb::bytes(id.data(), id.size());
      },
      "Bytes that rank 0 makes, and all ranks connect with.");
  nb::class_<gpu_ranks>(m, "GpuRanks", "The NCCL communicator of a rank.")
      .def(
          "__init__",
          [](gpu_ranks* self, nb::bytes const& id, int ranks, int rank, place const& where, std::int64_t milliseconds) {
            nccl_id bytes{};
            if (id.size() != bytes.size()) refuse("an id of NCCL has 128 bytes");
            std::copy_n(id.c_str(), bytes.size(), bytes.begin());
            load_nccl();
            current_device const device{where};
            nb::gil_scoped_release const unlocked;
            new (self) gpu_ranks{bytes, ranks, rank, where.device, std::chrono::milliseconds{milliseconds}};
          },
          nb::arg("id"), nb::arg("ranks"), nb::arg("rank"), nb::arg("place"), nb::arg("milliseconds"))
      .def_prop_ro("device", &gpu_ranks::device)
      .def_prop_ro("has_failed", &gpu_ranks::has_failed)
      .def("abort", &gpu_ranks::abort, nb::call_guard<nb::gil_scoped_release>(),
           "Ends all exchanges of this rank, in progress and later.");
  add_samples_and_voxels(m);
  add_searches(m);
}

}  // namespace farpoint_python
#else
#include <stdexcept>

namespace farpoint_python {

void add_distributed_gpus(nb::module_& m) {
  m.def(
      "load_nccl",
      [] {
        throw std::runtime_error(
            "this farpoint is built without calls on ranks that are GPUs: pass arrays in host memory");
      },
      "Raises why there are no calls on ranks that are GPUs.");
}

}  // namespace farpoint_python
#endif

/// @file
/// knn(), radius() and fps() of tiles that an object of Python reads.
#include "arrays.hpp"
#include "fps_params.hpp"
#include "module.hpp"
#include "radius_params.hpp"

#include <farpoint/scale/tiles/fps_tiles.hpp>
#include <farpoint/scale/tiles/knn_tiles.hpp>
#include <farpoint/scale/tiles/radius_tiles.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

namespace farpoint_python {
namespace {

/// Tiles of an object of Python, and their extents. `fill(tile, view)` writes the points of a tile, [size, 3], to a
/// writable memoryview of bytes, which is gone when it has returned; its exceptions pass through the calls.
template <class Scalar>
class tiles {
 public:
  using point = farpoint::vec<Scalar>;

  tiles(nb::object fill, std::vector<index_t> sizes) : fill_{std::move(fill)}, sizes_{std::move(sizes)} {
    extents_.resize(sizes_.size());
    call([&] { return farpoint::measure_tiles_workspace_bytes(*this); },
         [&](farpoint::bytes workspace) { return farpoint::measure_tiles(*this, extents_, workspace); });
  }

  index_t count() const { return static_cast<index_t>(sizes_.size()); }
  index_t size(index_t tile) const { return sizes_[static_cast<std::size_t>(tile)]; }
  farpoint::result read(index_t tile, farpoint::span<point> to) {
    if (to.empty()) return {};
    nb::gil_scoped_acquire const locked;
    ++reads_;
    PyObject* const view = PyMemoryView_FromMemory(reinterpret_cast<char*>(to.data()),
                                                   static_cast<Py_ssize_t>(to.size() * sizeof(point)), PyBUF_WRITE);
    if (view == nullptr) nb::raise_python_error();
    fill_(tile, nb::steal(view));
    return {};
  }
  index_t reads() const { return reads_; }

  void knn(int threads, input const& queries, index_t first_index, index_t k, double max_radius, bool exclude_self,
           output const& indices, output const& distances) {
    farpoint::knn_tiles_output<Scalar> out;
    out.indices = values_of<index_t>(indices);
    out.distances = values_of<Scalar>(distances);
    auto const asked = queries_of(queries, first_index);
    farpoint::host_exec const exec{threads};
    call([&] { return farpoint::knn_tiles_workspace_bytes(exec, *this, asked.points.size()); },
         [&](farpoint::bytes workspace) {
           farpoint::knn_params const params{k, max_radius, exclude_self};
           return farpoint::knn_tiles(exec, *this, extents_, asked, params, out, workspace);
         });
  }

  void radius(int threads, input const& queries, index_t first_index, farpoint::radius_params const& params,
              output const& indices, output const& distances, output const& counts) {
    farpoint::radius_tiles_output<Scalar> out;
    out.indices = values_of<index_t>(indices);
    out.distances = values_of<Scalar>(distances);
    out.counts = values_of<index_t>(counts);
    auto const asked = queries_of(queries, first_index);
    farpoint::host_exec const exec{threads};
    call([&] { return farpoint::radius_tiles_workspace_bytes(exec, *this, asked.points.size()); },
         [&](farpoint::bytes workspace) {
           return farpoint::radius_tiles(exec, *this, extents_, asked, params, out, workspace);
         });
  }

  void fps(int threads, farpoint::fps_params const& params, output const& nearest, output const& indices,
           output const& distances) {
    farpoint::fps_tiles_output<Scalar> out;
    out.indices = values_of<index_t>(indices);
    out.distances = values_of<Scalar>(distances);
    auto const measured = values_of<Scalar>(nearest);
    farpoint::host_exec const exec{threads};
    call([&] { return farpoint::fps_tiles_workspace_bytes(exec, *this, params.samples); },
         [&](farpoint::bytes workspace) {
           return farpoint::fps_tiles(exec, *this, extents_, params, measured, out, workspace);
         });
  }

 private:
  static farpoint::shard<farpoint::point_view<Scalar>> queries_of(input const& queries, index_t first_index) {
    if (!holds<Scalar>(queries)) refuse("queries have another type than the tiles");
    return {points_of<Scalar>(queries, false), first_index};
  }

  /// Makes a call without the GIL.
  /// @param size  std::size_t(): bytes of workspace
  /// @param made  result(bytes workspace)
  template <class Size, class Made>
  void call(Size const& size, Made const& made) {
    farpoint::result outcome;
    {
      nb::gil_scoped_release const unlocked;
      farpoint::host_scratch workspace;
      outcome = workspace.reserve(size());
      if (outcome) outcome = made(workspace);
    }
    check(outcome);
  }

  nb::object fill_;
  std::vector<index_t> sizes_;
  std::vector<farpoint::tile_extent<Scalar>> extents_;
  index_t reads_ = 0;
};

template <class Scalar>
void add(nb::module_& m, char const* name) {
  using self = tiles<Scalar>;
  nb::class_<self>(m, name)
      .def(nb::init<nb::object, std::vector<index_t>>(), nb::arg("fill"), nb::arg("sizes"))
      .def_prop_ro("reads", &self::reads)
      .def("knn", &self::knn, nb::arg("threads"), nb::arg("queries"), nb::arg("first_index"), nb::arg("k"),
           nb::arg("max_radius"), nb::arg("exclude_self"), nb::arg("indices"), nb::arg("distances"))
      .def(
          "radius",
          [](self& tiles, int threads, input const& queries, index_t first_index, double radius, bool nearest,
             bool exclude_self, bool exclusive, index_t max, output const& indices, output const& distances,
             output const& counts) {
            tiles.radius(threads, queries, first_index, radius_params_of(radius, nearest, exclude_self, exclusive, max),
                         indices, distances, counts);
          },
          nb::arg("threads"), nb::arg("queries"), nb::arg("first_index"), nb::arg("radius"), nb::arg("nearest"),
          nb::arg("exclude_self"), nb::arg("exclusive"), nb::arg("max"), nb::arg("indices"), nb::arg("distances"),
          nb::arg("counts"))
      .def(
          "fps",
          [](self& tiles, int threads, index_t samples, index_t first, double stop_below,
             std::optional<std::uint64_t> seed, output const& nearest, output const& indices, output const& distances) {
            farpoint::fps_params const params = fps_params_of(samples, first, stop_below, seed);
            tiles.fps(threads, params, nearest, indices, distances);
          },
          nb::arg("threads"), nb::arg("samples"), nb::arg("first"), nb::arg("stop_below"), nb::arg("seed").none(),
          nb::arg("nearest"), nb::arg("indices"), nb::arg("distances"));
}

}  // namespace

void add_tiles(nb::module_& m) {
  add<float>(m, "TilesFloat32");
  add<double>(m, "TilesFloat64");
}

}  // namespace farpoint_python

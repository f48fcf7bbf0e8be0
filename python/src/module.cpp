/// @file
/// farpoint._core: the compiled library for the Python half, which checks shapes, allocates outputs and finds streams.
#include "module.hpp"

#include "place.hpp"

#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace nb = nanobind;

NB_MODULE(_core, m) {
  using farpoint_python::place;
  // A function that torch.compile has compiled keeps its module's names alive beyond the interpreter's end, and so this
  // module, when they import it: not our leak, so users see no report. Tests enable it.
  nb::set_leak_warnings(std::getenv("FARPOINT_LEAK_WARNINGS") != nullptr);
  m.doc() = "farpoint's compiled library. Use the functions of the package farpoint.";
#if FARPOINT_PYTHON_CUDA
  m.attr("built_with_cuda") = true;
#else
  m.attr("built_with_cuda") = false;
#endif
  m.def("cuda_available", &farpoint::runtime::cuda_available,
        "True when the library was built with CUDA and a usable GPU is present.");
  m.def("release_thread_memory", &farpoint::runtime::release_thread_memory,
        "Frees the memory that the calling thread's calls in host memory keep for the next ones. The end of the thread "
        "frees it, too.");

  nb::class_<place>(m, "Place", "Host memory (device -1), or a stream of a CUDA device.")
      .def(
          "__init__",
          [](place* self, int device, std::uintptr_t stream, int threads, nb::object allocate, bool y_first,
             bool torch_memory, bool waits) {
            new (self) place{device, stream, threads, std::move(allocate), y_first, torch_memory, waits};
          },
          nb::arg("device") = -1, nb::arg("stream") = 0, nb::arg("threads") = 0, nb::arg("allocate") = nb::none(),
          nb::arg("y_first") = false, nb::arg("torch_memory") = false, nb::arg("waits") = false)
      .def_ro("device", &place::device)
      .def_ro("stream", &place::stream)
      .def_ro("y_first", &place::y_first);

  m.def(
      "time_calls", [](bool wanted) { farpoint_python::call_times::of_process().wanted = wanted; }, nb::arg("wanted"),
      "Notes from now on what each call takes in the library, or no more.");
  m.def(
      "call_seconds",
      [] { return std::exchange(farpoint_python::call_times::of_process().seconds, std::vector<double>{}); },
      "What was noted since this was asked last: seconds of each call.");

  farpoint_python::add_array(m);
  farpoint_python::add_distributed(m);
  farpoint_python::add_distributed_gpus(m);
  farpoint_python::add_distributed_search(m);
  farpoint_python::add_hash_map(m);
  farpoint_python::add_index(m);
  farpoint_python::add_sampling(m);
  farpoint_python::add_screen(m);
  farpoint_python::add_search(m);
  farpoint_python::add_tiles(m);
  farpoint_python::add_torch(m);
  farpoint_python::add_voxelize(m);
}

/// @file
/// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace farpoint_python {

namespace nb = nanobind;

void add_array(nb::module_& m);
void add_distributed(nb::module_& m);
void add_distributed_gpus(nb::module_& m);
void add_distributed_search(nb::module_& m);
void add_hash_map(nb::module_& m);
void add_index(nb::module_& m);
void add_sampling(nb::module_& m);
void add_screen(nb::module_& m);
void add_search(nb::module_& m);
void add_tiles(nb::module_& m);
void add_torch(nb::module_& m);
void add_voxelize(nb::module_& m);

}  // namespace farpoint_python

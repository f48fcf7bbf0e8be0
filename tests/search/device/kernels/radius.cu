#include "../../../support/device/each_coord.hpp"
#include "../radius_kernels.cuh"

FOR_EACH_COORD(RADIUS_CALLS)

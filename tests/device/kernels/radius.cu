#include "../radius_kernels.cuh"
#include "each_coord.hpp"

FOR_EACH_COORD(RADIUS_CALLS)

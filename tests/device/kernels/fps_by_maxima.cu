#include "../every_kernel.cuh"
#include "each_coord.hpp"

FOR_EACH_NARROW_COORD(FPS_BY_DEFAULT_MAXIMA)

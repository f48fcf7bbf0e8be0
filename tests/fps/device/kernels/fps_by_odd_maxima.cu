#include "../../../support/device/each_coord.hpp"
#include "../every_kernel.cuh"

FOR_EACH_NARROW_COORD(FPS_BY_ODD_MAXIMA)

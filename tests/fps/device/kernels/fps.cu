#include "../../../support/device/each_coord.hpp"
#include "../every_kernel.cuh"

FOR_EACH_COORD(FPS_OF_DEFAULT_TUNING)

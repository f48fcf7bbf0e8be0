#include "../../../support/device/each_coord.hpp"
#include "../every_kernel.cuh"

FOR_EACH_COORD(FPS_OF_ODD_BLOCKS)
FOR_EACH_COORD(FPS_OF_ODD_TUNING)

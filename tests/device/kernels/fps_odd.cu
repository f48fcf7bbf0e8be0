#include "../every_kernel.cuh"
#include "each_coord.hpp"

FOR_EACH_COORD(FPS_OF_ODD_BLOCKS)
FOR_EACH_COORD(FPS_OF_ODD_TUNING)

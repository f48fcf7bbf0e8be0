#include "../every_kernel.cuh"
#include "each_coord.hpp"

FOR_EACH_COORD(FPS_OF_DEFAULT_TUNING)

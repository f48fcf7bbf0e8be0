#include "../voxelize_on_device.cuh"
#include "each_coord.hpp"

FOR_EACH_COORD(VOXELIZE_OF_EVERY_SELECTOR)

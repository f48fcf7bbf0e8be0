#include "../../../support/device/each_coord.hpp"
#include "../voxelize_on_device.cuh"

FOR_EACH_COORD(VOXELIZE_OF_EVERY_SELECTOR)

#include "../../../support/device/each_coord.hpp"
#include "../point_bvh_kernels.cuh"

FOR_EACH_COORD(POINT_BVH_KERNELS)

#include "../point_bvh_kernels.cuh"
#include "each_coord.hpp"

FOR_EACH_COORD(POINT_BVH_KERNELS)

#include "point_bvh_kernels.cuh"

POINT_INDEX_KERNELS(template)

#include "../point_bvh_kernels.cuh"

POINT_BVH_KERNELS(template, float)

#include "point_index_kernels.cuh"

POINT_INDEX_KERNELS(template)

#include "../neighbourhood_kernels.cuh"

MEAN_DISTANCE_OF_FLOATS(template)
NEIGHBOURHOODS_OF_FLOATS(template)

#include "../neighborhood_kernels.cuh"

MEAN_DISTANCE_OF_FLOATS(template)
NEIGHBORHOODS_OF_FLOATS(template)

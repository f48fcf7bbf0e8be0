#include "../radius_kernels.cuh"

RADIUS_CALLS(template, farpoint::float16)

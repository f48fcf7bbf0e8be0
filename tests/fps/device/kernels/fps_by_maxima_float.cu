#include "../every_kernel.cuh"

FPS_BY_DEFAULT_MAXIMA(template, float)

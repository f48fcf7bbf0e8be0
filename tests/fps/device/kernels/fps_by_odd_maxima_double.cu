#include "../every_kernel.cuh"

FPS_BY_SMALL_ODD_MAXIMA(template, double)

#include "../every_kernel.cuh"

FPS_BY_SMALL_ODD_DEALT_MAXIMA(template, double)

#include "../every_kernel.cuh"

FPS_BY_ODD_DEALT_MAXIMA(template, farpoint::float16)

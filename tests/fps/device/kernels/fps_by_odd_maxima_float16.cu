#include "../every_kernel.cuh"

FPS_BY_ODD_MAXIMA(template, farpoint::float16)

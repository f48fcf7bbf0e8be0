#include "../every_kernel.cuh"

FPS_OF_DEFAULT_TUNING(template, double)

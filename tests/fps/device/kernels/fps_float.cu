#include "../every_kernel.cuh"

FPS_BY_DEFAULT_SINGLE_BLOCKS(template, float)
FPS_OF_DEFAULT_TUNING(template, float)

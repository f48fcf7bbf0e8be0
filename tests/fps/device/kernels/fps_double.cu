#include "../every_kernel.cuh"

FPS_BY_DEFAULT_SINGLE_BLOCKS_OF_DOUBLES(template, double)
FPS_OF_DEFAULT_TUNING(template, double)

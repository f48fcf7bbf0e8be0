#include "../every_kernel.cuh"

FPS_BY_ODD_SINGLE_BLOCKS(template, float)
FPS_OF_ODD_TUNING(template, float)

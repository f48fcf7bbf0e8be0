#include "../every_kernel.cuh"

FPS_BY_ODD_SINGLE_BLOCKS(template, double)
FPS_OF_ODD_TUNING(template, double)

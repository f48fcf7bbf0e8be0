#include "../every_kernel.cuh"

FPS_OF_ODD_BLOCKS(template, double)
FPS_OF_ODD_TUNING(template, double)

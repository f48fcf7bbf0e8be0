#include "../every_kernel.cuh"

FPS_OF_ODD_BLOCKS(template, float)
FPS_OF_ODD_TUNING(template, float)

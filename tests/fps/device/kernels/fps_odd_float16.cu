#include "../every_kernel.cuh"

FPS_BY_ODD_SINGLE_BLOCKS(template, farpoint::float16)
FPS_OF_ODD_TUNING(template, farpoint::float16)

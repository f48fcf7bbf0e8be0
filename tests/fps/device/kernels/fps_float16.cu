#include "../every_kernel.cuh"

FPS_BY_DEFAULT_SINGLE_BLOCKS(template, farpoint::float16)
FPS_OF_DEFAULT_TUNING(template, farpoint::float16)

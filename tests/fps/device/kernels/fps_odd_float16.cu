#include "../every_kernel.cuh"

FPS_OF_ODD_BLOCKS(template, farpoint::float16)
FPS_OF_ODD_TUNING(template, farpoint::float16)

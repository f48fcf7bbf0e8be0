#include "../every_kernel.cuh"

FPS_OF_ODD_BLOCKS(template, FARPOINT_COORD)
FPS_OF_ODD_TUNING(template, FARPOINT_COORD)

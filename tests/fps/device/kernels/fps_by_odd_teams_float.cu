#include "../every_kernel.cuh"

FPS_BY_ODD_TEAMS(template, float)

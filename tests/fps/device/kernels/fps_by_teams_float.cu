#include "../every_kernel.cuh"

FPS_BY_DEFAULT_TEAMS(template, float)

#include "../every_kernel.cuh"

FPS_BY_DEFAULT_TEAMS_OF_DOUBLES(template, double)

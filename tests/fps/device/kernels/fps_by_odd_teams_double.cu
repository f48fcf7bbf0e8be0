#include "../every_kernel.cuh"

FPS_BY_ODD_TEAMS_OF_DOUBLES(template, double)

// fps() by local maxima with the selectors that several files test: compiled here, once.
#include "every_kernel.cuh"

FPS_OF_MAXIMA_SELECTORS(template, float)
FPS_OF_MAXIMA_SELECTORS(template, double)
FPS_OF_MAXIMA_SELECTORS(template, farpoint::float16)

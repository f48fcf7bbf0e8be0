// fps() with the selectors that several files test: their kernels are compiled here, once.
#include "every_kernel.cuh"

FPS_OF_ODD_BLOCKS(template, float)
FPS_OF_ODD_BLOCKS(template, double)
FPS_OF_LARGE_SELECTORS(template)
FPS_OF_EVERY_SELECTOR(template, float)
FPS_OF_EVERY_SELECTOR(template, double)
FPS_OF_EVERY_SELECTOR(template, farpoint::float16)

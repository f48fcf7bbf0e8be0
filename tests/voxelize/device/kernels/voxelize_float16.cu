#include "../voxelize_on_device.cuh"

VOXELIZE_OF_EVERY_SELECTOR(template, farpoint::float16)

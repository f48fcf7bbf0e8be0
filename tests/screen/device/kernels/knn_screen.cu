#include "../knn_screen_on_device.cuh"

KNN_SCREEN_OF_FLOATS(template)

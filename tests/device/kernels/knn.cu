#include "../knn_kernels.cuh"

KNN_KERNELS(template, FARPOINT_COORD)

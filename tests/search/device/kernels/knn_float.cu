#include "../knn_kernels.cuh"

KNN_KERNELS(template, float)

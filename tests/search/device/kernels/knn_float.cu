#include "../knn_kernels.cuh"

KNN_KERNELS(template, float)
KNN_KERNELS_OF_STEPS(template)

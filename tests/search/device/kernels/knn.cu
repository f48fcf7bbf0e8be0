#include "../../../support/device/each_coord.hpp"
#include "../knn_kernels.cuh"

FOR_EACH_COORD(KNN_KERNELS)

#include "../knn_kernels.cuh"
#include "each_coord.hpp"

FOR_EACH_COORD(KNN_KERNELS)

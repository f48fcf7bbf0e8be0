#include "../radix_sort_kernels.cuh"

RADIX_SORT_KERNELS(template)

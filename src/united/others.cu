// All kernels but the searches as one object; see CMakeLists.txt.
#include "../cuda_usable.cu"
#include "../fill_rows.cu"
#include "../fps.cu"
#include "../gather.cu"
#include "../hash_map.cu"
#include "../pillar_features.cu"
#include "../voxelize.cu"
#include "../widen.cu"

# Peers on the GPU. Each is left out unless -DFARPOINT_PEER_<NAME>=DIR names its checkout; README.md lists them. The results
# have the commit that git knows of the checkout, or FARPOINT_PEER_<NAME>_COMMIT, for folders without their history.

# farpoint_checkout(<NAME> <file> <description>): declares the option, and sets <NAME>_place and <NAME>_version in the
# caller. The folder must have the file.
function(farpoint_checkout name file description)
  set(FARPOINT_PEER_${name} "" CACHE PATH "Checkout of ${description}, to measure beside farpoint")
  set(FARPOINT_PEER_${name}_COMMIT "" CACHE STRING "Commit of FARPOINT_PEER_${name}, where git does not know it")
  mark_as_advanced(FARPOINT_PEER_${name} FARPOINT_PEER_${name}_COMMIT)
  set(place "${FARPOINT_PEER_${name}}")
  set(version "${FARPOINT_PEER_${name}_COMMIT}")
  if(place AND NOT EXISTS ${place}/${file})
    message(FATAL_ERROR "FARPOINT_PEER_${name} is ${place}, which has no ${file}: it must be a checkout of ${description}.")
  endif()
  if(place AND NOT version)
    farpoint_commit_of(${place} version)
  endif()
  set(${name}_place "${place}" PARENT_SCOPE)
  set(${name}_version "${version}" PARENT_SCOPE)
endfunction()

# Sources of the PointNet++ family include PyTorch's headers, of which they need what torch_stub.hpp has.
set(torch_stub ${CMAKE_CURRENT_BINARY_DIR}/torch_stub)
foreach(header IN ITEMS ATen/ATen.h ATen/cuda/CUDAApplyUtils.cuh ATen/cuda/CUDAContext.h c10/cuda/CUDAGuard.h
                        THC/THCAtomics.cuh torch/serialize/tensor.h)
  file(CONFIGURE OUTPUT ${torch_stub}/${header} CONTENT "#include \"peers/external/torch_stub.hpp\"\n" @ONLY)
endforeach()

farpoint_checkout(CUBQL cuBQL/bvh.h "NVIDIA/cuBQL")
farpoint_peer(
  cuBQL device_knn
  PLACE ${CUBQL_place}
  VERSION ${CUBQL_version}
  SOURCES peers/external/cubql.cu
  INCLUDES ${CUBQL_place})

set(pointnet2_sources pointnet2_ops_lib/pointnet2_ops/_ext-src)
farpoint_checkout(POINTNET2 ${pointnet2_sources}/src/sampling_gpu.cu "erikwijmans/Pointnet2_PyTorch")
farpoint_peer(
  pointnet2_ops device_fps device_ball_query device_gather device_interpolate
  PLACE ${POINTNET2_place}
  VERSION ${POINTNET2_version}
  SOURCES peers/external/pointnet2_ops.cu
  INCLUDES ${torch_stub} ${POINTNET2_place}/${pointnet2_sources} ${POINTNET2_place}/${pointnet2_sources}/include)

set(openpcdet_sources pcdet/ops/pointnet2/pointnet2_batch)
farpoint_checkout(OPENPCDET ${openpcdet_sources}/src/sampling_gpu.cu "open-mmlab/OpenPCDet")
farpoint_peer(
  OpenPCDet device_fps device_ball_query device_gather device_interpolate
  PLACE ${OPENPCDET_place}
  VERSION ${OPENPCDET_version}
  SOURCES peers/external/openpcdet.cu
  INCLUDES ${torch_stub} ${OPENPCDET_place}/${openpcdet_sources})

set(mmcv_sources mmcv/ops/csrc)
farpoint_checkout(MMCV ${mmcv_sources}/pytorch/cuda/knn_cuda.cu "open-mmlab/mmcv")
farpoint_peer(
  mmcv device_fps device_ball_query device_gather device_interpolate device_knn
  PLACE ${MMCV_place}
  VERSION ${MMCV_version}
  SOURCES peers/external/mmcv.cu
  INCLUDES ${torch_stub} ${MMCV_place}/${mmcv_sources} ${MMCV_place}/${mmcv_sources}/common
           ${MMCV_place}/${mmcv_sources}/common/cuda)

# Needs the rest of the same version of CCCL, before the toolkit's.
farpoint_checkout(CUDAX cudax/include/cuda/experimental/__cuco/fixed_capacity_map.cuh "NVIDIA/cccl")
farpoint_peer(
  cudax device_map
  PLACE ${CUDAX_place}
  VERSION ${CUDAX_version}
  SOURCES peers/external/cudax.cu
  FIRST_INCLUDES ${CUDAX_place}/cudax/include ${CUDAX_place}/libcudacxx/include ${CUDAX_place}/cub ${CUDAX_place}/thrust
  OPTIONS --extended-lambda)

# A release needs the CCCL of its time, which the toolkit may not have.
farpoint_checkout(CUCO include/cuco/static_map.cuh "NVIDIA/cuCollections")
set(FARPOINT_PEER_CUCO_CCCL "" CACHE STRING "Folders of headers of the CCCL for cuCollections; empty: the toolkit's")
mark_as_advanced(FARPOINT_PEER_CUCO_CCCL)
farpoint_peer(
  cuCollections device_map
  PLACE ${CUCO_place}
  VERSION ${CUCO_version}
  SOURCES peers/external/cuco.cu
  FIRST_INCLUDES ${CUCO_place}/include ${FARPOINT_PEER_CUCO_CCCL}
  OPTIONS --extended-lambda --expt-relaxed-constexpr)

farpoint_checkout(SIMPLE_KNN simple_knn.cu "simple-knn (graphdeco-inria, or a copy of it)")
farpoint_peer(
  simple-knn device_mean_distance
  PLACE ${SIMPLE_KNN_place}
  VERSION ${SIMPLE_KNN_version}
  SOURCES peers/external/simple_knn.cu ${SIMPLE_KNN_place}/simple_knn.cu
  INCLUDES ${SIMPLE_KNN_place})

# Peers that need PyTorch itself: -DFARPOINT_PEER_TORCH names the folder of its Python package.
set(FARPOINT_PEER_TORCH "" CACHE PATH "Folder of the Python package torch, with its headers and libraries")
mark_as_advanced(FARPOINT_PEER_TORCH)
set(torch_includes ${FARPOINT_PEER_TORCH}/include ${FARPOINT_PEER_TORCH}/include/torch/csrc/api/include)
# The linker does not look for the libraries that these need. The last are needed although no name of theirs is used.
set(torch_libraries
    ${FARPOINT_PEER_TORCH}/lib/libc10.so
    ${FARPOINT_PEER_TORCH}/lib/libc10_cuda.so
    ${FARPOINT_PEER_TORCH}/lib/libtorch_cpu.so
    -Wl,--allow-shlib-undefined,--no-as-needed
    ${FARPOINT_PEER_TORCH}/lib/libtorch_cuda.so
    ${FARPOINT_PEER_TORCH}/lib/libtorch.so
    -Wl,--as-needed)

# The flags of PyTorch's own build of extensions.
set(torch_flags -D__CUDA_NO_HALF_OPERATORS__ -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_BFLOAT16_CONVERSIONS__
                -D__CUDA_NO_HALF2_OPERATORS__ --expt-relaxed-constexpr)

farpoint_checkout(TORCH_CLUSTER csrc/cuda/fps_cuda.cu "rusty1s/pytorch_cluster")
farpoint_checkout(PYTORCH3D pytorch3d/csrc/knn/knn.cu "facebookresearch/pytorch3d")
foreach(peer IN ITEMS TORCH_CLUSTER PYTORCH3D)
  if(${peer}_place AND NOT FARPOINT_PEER_TORCH)
    message(FATAL_ERROR "FARPOINT_PEER_${peer} needs FARPOINT_PEER_TORCH, the folder of the Python package torch.")
  endif()
endforeach()
farpoint_peer(
  torch_cluster device_fps device_ball_query device_knn
  PLACE ${TORCH_CLUSTER_place}
  VERSION ${TORCH_CLUSTER_version}
  SOURCES peers/external/torch_cluster.cu
  INCLUDES ${torch_includes} ${TORCH_CLUSTER_place}/csrc
  LIBRARIES ${torch_libraries}
  OPTIONS ${torch_flags})
farpoint_peer(
  pytorch3d device_fps device_ball_query device_knn
  PLACE ${PYTORCH3D_place}
  VERSION ${PYTORCH3D_version}
  SOURCES peers/external/pytorch3d.cu
  INCLUDES ${torch_includes} ${PYTORCH3D_place}/pytorch3d/csrc
  LIBRARIES ${torch_libraries}
  OPTIONS ${torch_flags})
# A peer of its own, as it needs PyTorch.
set(mmcv_voxels_place "")
if(FARPOINT_PEER_TORCH)
  set(mmcv_voxels_place ${MMCV_place})
endif()
farpoint_peer(
  mmcv_voxels device_voxelize
  PLACE ${mmcv_voxels_place}
  VERSION ${MMCV_version}
  SOURCES peers/external/mmcv_voxels.cu
  INCLUDES ${torch_includes} ${MMCV_place}/${mmcv_sources} ${MMCV_place}/${mmcv_sources}/common
           ${MMCV_place}/${mmcv_sources}/common/cuda
  LIBRARIES ${torch_libraries}
  OPTIONS ${torch_flags})

# Finds NVIDIA's CCCL headers for the build and, installed next to farpoint-config.cmake, for users of the package.
#
# farpoint_find_cccl(<problem> <with_cuda>) sets <problem> to a sentence for the user, or to nothing.
# A macro: find_package() sets variables that its caller needs.
macro(farpoint_find_cccl problem with_cuda)
  set(${problem} "")
  # Without nvcc only libcu++ (cuda::std) is used. A parent project may bring the targets, then nothing is searched.
  if(${with_cuda})
    set(_farpoint_cccl_target CCCL::CCCL)
    set(_farpoint_cccl_components "")
  else()
    set(_farpoint_cccl_target libcudacxx::libcudacxx)
    set(_farpoint_cccl_components COMPONENTS libcudacxx)
  endif()

  # CCCL::CCCL of an earlier search for libcu++ alone lacks CUB and Thrust.
  if(NOT TARGET ${_farpoint_cccl_target} OR (${with_cuda} AND NOT TARGET CCCL::CUB))
    # Toolkits keep the config files where CMake does not look; with no nvcc on PATH CUDAToolkit may be unset.
    find_program(FARPOINT_NVCC nvcc PATHS /usr/local/cuda/bin)
    mark_as_advanced(FARPOINT_NVCC)
    set(_farpoint_cccl_hints "")
    if(CUDAToolkit_LIBRARY_DIR)
      list(APPEND _farpoint_cccl_hints "${CUDAToolkit_LIBRARY_DIR}/cmake")
    endif()
    if(FARPOINT_NVCC)
      get_filename_component(_farpoint_toolkit "${FARPOINT_NVCC}" REALPATH)
      get_filename_component(_farpoint_toolkit "${_farpoint_toolkit}/../.." ABSOLUTE)
      list(APPEND _farpoint_cccl_hints "${_farpoint_toolkit}/lib64/cmake")
    endif()
    foreach(_farpoint_toolkit IN ITEMS "$ENV{CUDA_PATH}" "$ENV{CUDA_HOME}" "/usr/local/cuda")
      if(_farpoint_toolkit)
        list(APPEND _farpoint_cccl_hints "${_farpoint_toolkit}/lib64/cmake")
      endif()
    endforeach()
    find_package(CCCL CONFIG QUIET ${_farpoint_cccl_components} HINTS ${_farpoint_cccl_hints})
  endif()

  if(NOT TARGET ${_farpoint_cccl_target})
    set(${problem}
        "farpoint needs the CCCL headers: install the CUDA toolkit 12.3 or newer, or unpack the PyPI package nvidia-cuda-cccl and set CCCL_DIR to its folder lib/cmake/cccl."
    )
  endif()
endmacro()

# Finds NVIDIA's CCCL headers for the build and, installed next to farpoint-config.cmake, for users of the component cuda.
# The host half needs none of them.
#
# farpoint_find_cccl(<problem>) sets <problem> to a sentence for the user, or to nothing.
# A macro: find_package() sets variables that its caller needs.
macro(farpoint_find_cccl problem)
  set(${problem} "")
  # A parent project may bring the targets; what it found for libcu++ alone lacks CUB and Thrust.
  if(NOT TARGET CCCL::CCCL OR NOT TARGET CCCL::CUB)
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
    find_package(CCCL CONFIG QUIET HINTS ${_farpoint_cccl_hints})
  endif()

  if(NOT TARGET CCCL::CCCL)
    set(${problem}
        "farpoint needs the CCCL headers: install the CUDA toolkit 12.3 or newer, or unpack the PyPI package nvidia-cuda-cccl and set CCCL_DIR to its folder lib/cmake/cccl."
    )
  endif()
endmacro()

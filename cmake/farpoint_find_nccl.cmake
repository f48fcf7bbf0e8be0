# Finds NCCL for the build and, installed next to farpoint-config.cmake, for users of the component nccl: the target
# NCCL::NCCL. From the system, the CUDA toolkit, the PyPI package nvidia-nccl-cu13, or where NCCL_ROOT says.
#
# farpoint_find_nccl(<problem>) sets <problem> to a sentence for the user, or to nothing.
function(farpoint_find_nccl problem)
  set(${problem} "" PARENT_SCOPE)
  if(TARGET NCCL::NCCL)
    return()
  endif()
  set(hints ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_TARGET_DIR} ${CUDAToolkit_LIBRARY_ROOT} /usr/local/cuda)
  find_path(FARPOINT_NCCL_INCLUDE_DIR nccl.h HINTS ${hints} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  # The PyPI package has no name without a version.
  find_library(FARPOINT_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${hints} PATH_SUFFIXES lib lib64)
  mark_as_advanced(FARPOINT_NCCL_INCLUDE_DIR FARPOINT_NCCL_LIBRARY)
  if(NOT FARPOINT_NCCL_INCLUDE_DIR OR NOT FARPOINT_NCCL_LIBRARY)
    set(${problem}
        "farpoint's component nccl needs NCCL: install libnccl-dev, or the PyPI package nvidia-nccl-cu13, and set NCCL_ROOT to the folder that has include/nccl.h."
        PARENT_SCOPE)
    return()
  endif()
  add_library(NCCL::NCCL UNKNOWN IMPORTED GLOBAL)
  set_target_properties(NCCL::NCCL PROPERTIES IMPORTED_LOCATION "${FARPOINT_NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                          "${FARPOINT_NCCL_INCLUDE_DIR}")
endfunction()

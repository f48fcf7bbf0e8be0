# FindNCCL: NVIDIA's library for collective communication between GPUs, from the system, the CUDA toolkit or the PyPI package
# nvidia-nccl-cu13.
#
# Hint: NCCL_ROOT, a variable of CMake or of the environment: the folder that has include/nccl.h.
#
# Imported target
#   NCCL::NCCL
# Result variables
#   NCCL_FOUND, NCCL_VERSION, NCCL_INCLUDE_DIRS, NCCL_LIBRARIES
# Cache variables
#   NCCL_INCLUDE_DIR, NCCL_LIBRARY
#
# Installed with farpoint-config.cmake, which uses it for the component nccl.
set(_nccl_hints ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_TARGET_DIR} ${CUDAToolkit_LIBRARY_ROOT} /usr/local/cuda)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${_nccl_hints} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
# The PyPI package has no name without a version. Both names are tried in a folder before the next one: the library must be
# of the header's folder.
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${_nccl_hints} PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
unset(_nccl_hints)

unset(NCCL_VERSION)
if(NCCL_INCLUDE_DIR AND EXISTS "${NCCL_INCLUDE_DIR}/nccl.h")
  file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" _nccl_lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  set(_nccl_parts "")
  foreach(_nccl_part IN ITEMS MAJOR MINOR PATCH)
    if(_nccl_lines MATCHES "NCCL_${_nccl_part} +([0-9]+)")
      list(APPEND _nccl_parts "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(JOIN _nccl_parts "." NCCL_VERSION)
  unset(_nccl_lines)
  unset(_nccl_parts)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR
  VERSION_VAR NCCL_VERSION
  REASON_FAILURE_MESSAGE
    "Install libnccl-dev, or the PyPI package nvidia-nccl-cu13, and set NCCL_ROOT to the folder that has include/nccl.h.")

if(NCCL_FOUND)
  set(NCCL_INCLUDE_DIRS "${NCCL_INCLUDE_DIR}")
  set(NCCL_LIBRARIES "${NCCL_LIBRARY}")
  if(NOT TARGET NCCL::NCCL)
    add_library(NCCL::NCCL UNKNOWN IMPORTED)
    set_target_properties(NCCL::NCCL PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                    "${NCCL_INCLUDE_DIR}")
  endif()
endif()

# Decides FARPOINT_WITH_CUDA: whether targets that need nvcc are built.

if(FARPOINT_CUDA STREQUAL "AUTO")
  if(FARPOINT_TOP_LEVEL)
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  # Inside another project CUDA is used only if that project uses it: a C++ project must not grow a language by us.
  string(COMPARE NOTEQUAL "${CMAKE_CUDA_COMPILER}" "" FARPOINT_WITH_CUDA)
  if(CMAKE_CUDA_COMPILER MATCHES "NOTFOUND$")
    set(FARPOINT_WITH_CUDA FALSE)
  endif()
else()
  set(FARPOINT_WITH_CUDA ${FARPOINT_CUDA})
endif()

if(FARPOINT_WITH_CUDA)
  # Before enable_language(), which would fill in the compiler's default.
  if(FARPOINT_TOP_LEVEL AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "GPU architectures to build for")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

find_package(Threads REQUIRED)
if(FARPOINT_WITH_CUDA)
  include(${CMAKE_CURRENT_LIST_DIR}/farpoint_find_cccl.cmake)
  farpoint_find_cccl(farpoint_cccl_problem)
  if(farpoint_cccl_problem)
    message(FATAL_ERROR "${farpoint_cccl_problem}")
  endif()
endif()

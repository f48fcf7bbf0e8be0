# The header targets. They set no architectures, no flags and no languages: those are the user's.
include(GNUInstallDirs)

# C++ only: compiles with any C++17 compiler, without anything of CUDA.
add_library(farpoint_host INTERFACE)
add_library(farpoint::host ALIAS farpoint_host)
set_target_properties(farpoint_host PROPERTIES EXPORT_NAME host)
target_compile_features(farpoint_host INTERFACE cxx_std_17)
target_include_directories(farpoint_host INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(farpoint_host INTERFACE Threads::Threads)

# The .cuh headers. Defined even without nvcc: a package built on a machine without it serves users who have it.
add_library(farpoint_cuda INTERFACE)
add_library(farpoint::cuda ALIAS farpoint_cuda)
set_target_properties(farpoint_cuda PROPERTIES EXPORT_NAME cuda)
# Newer CCCLs make CCCL::CCCL an alias of their own, which install(EXPORT) refuses; $<1:...> passes a name through as it is.
target_link_libraries(farpoint_cuda INTERFACE farpoint_host $<BUILD_INTERFACE:CCCL::CCCL>
                                              $<INSTALL_INTERFACE:$<1:CCCL::CCCL>> CUDA::toolkit)

# The .cuh headers with NCCL, for ranks that are GPUs. Defined even without NCCL, as farpoint::cuda is without nvcc; this
# build uses it where NCCL::NCCL is.
add_library(farpoint_nccl INTERFACE)
add_library(farpoint::nccl ALIAS farpoint_nccl)
set_target_properties(farpoint_nccl PROPERTIES EXPORT_NAME nccl)
target_link_libraries(farpoint_nccl INTERFACE farpoint_cuda $<BUILD_INTERFACE:$<TARGET_NAME_IF_EXISTS:NCCL::NCCL>>
                                              $<INSTALL_INTERFACE:$<1:NCCL::NCCL>>)

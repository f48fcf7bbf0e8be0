# Peers on the host, from the distribution's packages.

find_path(FARPOINT_PEER_NANOFLANN nanoflann.hpp DOC "Folder of nanoflann.hpp (libnanoflann-dev)")
set(nanoflann_version "unknown")
if(FARPOINT_PEER_NANOFLANN)
  # 0x142 is 1.4.2.
  file(STRINGS ${FARPOINT_PEER_NANOFLANN}/nanoflann.hpp line REGEX "define NANOFLANN_VERSION")
  if(line MATCHES "0x([0-9A-Fa-f])([0-9A-Fa-f])([0-9A-Fa-f])")
    set(nanoflann_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3})
  endif()
endif()
# farpoint picks its instructions at run time; the flag lets a peer that is all headers have them as well.
check_cxx_compiler_flag(-march=native FARPOINT_BENCH_HAS_MARCH_NATIVE)
set(native_flag "")
if(FARPOINT_BENCH_HAS_MARCH_NATIVE)
  set(native_flag -march=native)
endif()
farpoint_peer(
  nanoflann host_search nanoflann
  PLACE ${FARPOINT_PEER_NANOFLANN}
  VERSION ${nanoflann_version}
  SOURCES peers/external/nanoflann.cpp
  INCLUDES ${FARPOINT_PEER_NANOFLANN}
  OPTIONS ${native_flag})

# Without PCLConfig.cmake, which looks for what the visualization needs.
find_path(FARPOINT_PEER_PCL pcl/pcl_config.h PATH_SUFFIXES pcl-1.15 pcl-1.14 pcl-1.13 pcl-1.12
          DOC "Folder of pcl/pcl_config.h (libpcl-dev)")
set(pcl_libraries "")
set(pcl_version "unknown")
set(pcl_place ${FARPOINT_PEER_PCL})
if(FARPOINT_PEER_PCL)
  file(STRINGS ${FARPOINT_PEER_PCL}/pcl/pcl_config.h line REGEX "define PCL_VERSION_PRETTY")
  if(line MATCHES "\"([0-9.]+)\"")
    set(pcl_version ${CMAKE_MATCH_1})
  endif()
  foreach(part IN ITEMS features filters search octree kdtree sample_consensus common)
    find_library(FARPOINT_PEER_PCL_${part} pcl_${part})
    mark_as_advanced(FARPOINT_PEER_PCL_${part})
    if(NOT FARPOINT_PEER_PCL_${part})
      message(STATUS "farpoint: libpcl_${part} was not found, PCL is not measured")
      set(pcl_place "")
    endif()
    list(APPEND pcl_libraries ${FARPOINT_PEER_PCL_${part}})
  endforeach()
  find_path(FARPOINT_PEER_PCL_EIGEN Eigen/Core PATH_SUFFIXES eigen3)
  find_path(FARPOINT_PEER_PCL_FLANN flann/flann.hpp)
  find_package(OpenMP COMPONENTS CXX)
  if(OpenMP_CXX_FOUND)
    list(APPEND pcl_libraries OpenMP::OpenMP_CXX)
  endif()
endif()
mark_as_advanced(FARPOINT_PEER_NANOFLANN FARPOINT_PEER_PCL FARPOINT_PEER_PCL_EIGEN FARPOINT_PEER_PCL_FLANN)
farpoint_peer(
  PCL host_search host_clouds
  PLACE ${pcl_place}
  VERSION ${pcl_version}
  SOURCES peers/external/pcl.cpp
  INCLUDES ${FARPOINT_PEER_PCL} ${FARPOINT_PEER_PCL_EIGEN} ${FARPOINT_PEER_PCL_FLANN}
  LIBRARIES ${pcl_libraries})

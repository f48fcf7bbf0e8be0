include(CMakeFindDependencyMacro)
find_dependency(farpoint 0.1 COMPONENTS host)
include("${CMAKE_CURRENT_LIST_DIR}/thinning-targets.cmake")

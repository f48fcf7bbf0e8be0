# Install and uninstall. One export set per component of find_package(farpoint COMPONENTS ...).
include(CMakePackageConfigHelpers)
set(farpoint_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/farpoint)

install(
  DIRECTORY include/farpoint
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN *.hpp
  PATTERN *.cuh)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/farpoint)

set(farpoint_components host cuda)
if(TARGET farpoint)
  list(APPEND farpoint_components farpoint)
endif()
foreach(component IN LISTS farpoint_components)
  # Targets farpoint_host, farpoint_cuda and farpoint; exported as farpoint::host, farpoint::cuda, farpoint::farpoint.
  if(component STREQUAL "farpoint")
    set(target farpoint)
  else()
    set(target farpoint_${component})
  endif()
  install(TARGETS ${target} EXPORT farpoint-${component}-targets)
  install(EXPORT farpoint-${component}-targets NAMESPACE farpoint:: DESTINATION ${farpoint_config_dir})
endforeach()

# What a static library asks of its users, with a CUDA half and without.
set(farpoint_links_cudart FALSE)
set(farpoint_pc_definitions "")
set(farpoint_pc_libs "")
if(TARGET farpoint)
  get_target_property(farpoint_type farpoint TYPE)
  if(farpoint_type STREQUAL "STATIC_LIBRARY")
    set(farpoint_pc_definitions -DFARPOINT_STATIC)
    if(FARPOINT_WITH_CUDA)
      set(farpoint_links_cudart TRUE)
      set(farpoint_pc_libs "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
    endif()
  endif()
endif()
configure_package_config_file(cmake/farpoint-config.cmake.in farpoint-config.cmake
                              INSTALL_DESTINATION ${farpoint_config_dir})
# Before 1.0 a minor version may break.
write_basic_package_version_file(farpoint-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/farpoint-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/farpoint-config-version.cmake cmake/farpoint_find_cccl.cmake
        DESTINATION ${farpoint_config_dir})

# For builds without CMake. They find the prefix from where they lie.
set(farpoint_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH farpoint_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(module IN ITEMS farpoint-host farpoint)
  if(module STREQUAL "farpoint-host" OR TARGET farpoint)
    configure_file(cmake/${module}.pc.in ${module}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc DESTINATION ${farpoint_pkgconfig_dir})
  endif()
endforeach()

if(FARPOINT_TOP_LEVEL)
  add_custom_target(
    uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_CURRENT_BINARY_DIR}/install_manifest.txt -P
            ${CMAKE_CURRENT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing the files of the last install")
endif()

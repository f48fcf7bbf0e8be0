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

# What a static library with a CUDA half asks of its users.
set(farpoint_links_cudart FALSE)
if(FARPOINT_WITH_CUDA AND TARGET farpoint)
  get_target_property(farpoint_type farpoint TYPE)
  string(COMPARE EQUAL "${farpoint_type}" STATIC_LIBRARY farpoint_links_cudart)
endif()
configure_package_config_file(cmake/farpoint-config.cmake.in farpoint-config.cmake
                              INSTALL_DESTINATION ${farpoint_config_dir})
# Before 1.0 a minor version may break.
write_basic_package_version_file(farpoint-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/farpoint-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/farpoint-config-version.cmake cmake/farpoint_find_cccl.cmake
        DESTINATION ${farpoint_config_dir})

if(FARPOINT_TOP_LEVEL)
  add_custom_target(
    uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_CURRENT_BINARY_DIR}/install_manifest.txt -P
            ${CMAKE_CURRENT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing the files of the last install")
endif()

# Install and uninstall. One export set per component of find_package(farpoint COMPONENTS ...).
include(CMakePackageConfigHelpers)
set(farpoint_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/farpoint)

# The parts that packages are made of; see package.cmake.
#   farpoint_headers   the headers, and the CMake package with its components host, cuda and nccl
#   farpoint_runtime   the shared library that programs load
#   farpoint_library   what linking it takes, or the static library
#   farpoint_documents
install(
  DIRECTORY include/farpoint
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT farpoint_headers
  FILES_MATCHING
  PATTERN *.hpp
  PATTERN *.cuh)
install(FILES package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/farpoint COMPONENT farpoint_headers)

foreach(component IN ITEMS host cuda nccl)
  # Targets farpoint_host, farpoint_cuda, ...; exported as farpoint::host, farpoint::cuda, ...
  install(TARGETS farpoint_${component} EXPORT farpoint-${component}-targets)
  install(EXPORT farpoint-${component}-targets NAMESPACE farpoint:: DESTINATION ${farpoint_config_dir}
          COMPONENT farpoint_headers)
endforeach()
if(TARGET farpoint)
  install(
    TARGETS farpoint
    EXPORT farpoint-farpoint-targets
    RUNTIME COMPONENT farpoint_runtime
    LIBRARY COMPONENT farpoint_runtime NAMELINK_COMPONENT farpoint_library
    ARCHIVE COMPONENT farpoint_library)
  install(EXPORT farpoint-farpoint-targets NAMESPACE farpoint:: DESTINATION ${farpoint_config_dir}
          COMPONENT farpoint_library)
endif()

# Laid out as in the repository, so that links between the pages hold.
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT farpoint_documents)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT farpoint_documents PATTERN Doxyfile EXCLUDE PATTERN conf.py EXCLUDE)
install(
  DIRECTORY examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT farpoint_documents
  FILES_MATCHING
  PATTERN *.hpp
  PATTERN *.cpp
  PATTERN *.cuh
  PATTERN *.cu)
install(
  DIRECTORY python/examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/python
  COMPONENT farpoint_documents
  FILES_MATCHING
  PATTERN *.ipynb
  PATTERN *.py)
if(FARPOINT_BUILD_DOCS)
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT farpoint_documents)
endif()

# Whether the library has a GPU half, for projects that link it; and what a static one asks of its users.
set(farpoint_has_cuda FALSE)
set(farpoint_links_cudart FALSE)
set(farpoint_pc_definitions "")
set(farpoint_pc_libs "")
if(TARGET farpoint)
  if(FARPOINT_WITH_CUDA)
    set(farpoint_has_cuda TRUE)
  endif()
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
              cmake/FindNCCL.cmake
        DESTINATION ${farpoint_config_dir} COMPONENT farpoint_headers)

# For builds without CMake. They find the prefix from where they lie.
set(farpoint_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH farpoint_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/farpoint-host.pc.in farpoint-host.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/farpoint-host.pc DESTINATION ${farpoint_pkgconfig_dir}
        COMPONENT farpoint_headers)
if(TARGET farpoint)
  configure_file(cmake/farpoint.pc.in farpoint.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/farpoint.pc DESTINATION ${farpoint_pkgconfig_dir}
          COMPONENT farpoint_library)
endif()

if(FARPOINT_TOP_LEVEL)
  add_custom_target(
    uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_CURRENT_BINARY_DIR}/install_manifest.txt -P
            ${CMAKE_CURRENT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing the files of the last install")
endif()

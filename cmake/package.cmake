# Packages by CPack. Debian's, from a build folder that was configured with -DCMAKE_INSTALL_PREFIX=/usr (`cpack -G DEB`):
#   libfarpointX.Y   the shared library                    farpoint_runtime
#   libfarpoint-dev  to link it, or the static library     farpoint_library
#   farpoint-dev     the headers: all that most users need farpoint_headers
#   farpoint-doc                                           farpoint_documents
# Other generators (TGZ, ...) make one archive of everything.
set(CPACK_PACKAGE_NAME farpoint)
set(CPACK_PACKAGE_VENDOR "The farpoint authors")
set(CPACK_PACKAGE_CONTACT "The farpoint authors <farpoint@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)

set(farpoint_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL farpoint_headers farpoint_documents)
set(farpoint_shared FALSE)
if(TARGET farpoint)
  list(APPEND CPACK_COMPONENTS_ALL farpoint_library)
  get_target_property(farpoint_type farpoint TYPE)
  if(farpoint_type STREQUAL "SHARED_LIBRARY")
    list(APPEND CPACK_COMPONENTS_ALL farpoint_runtime)
    set(farpoint_shared TRUE)
  endif()
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(farpoint_about
    "Point-cloud sampling, voxelization and nearest neighbors on CPU and GPU,
identical to the bit. Sampling is farthest point sampling; voxelization is
hard or dynamic; neighbors are the exact k nearest or those within a radius.
C++17 headers, CUDA kernels and a compiled library.")

# farpoint_debian_package(<component> <package> <section> <what it is> <sentences>)
macro(farpoint_debian_package component package section what sentences)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_MULTIARCH same) # read by CMake 3.31 and later
  # The first line is the summary.
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "sampling and search of point clouds - ${what}\n${farpoint_about}\n\n${sentences}")
endmacro()
farpoint_debian_package(
  farpoint_headers farpoint-dev libdevel "headers"
  "The headers for C++17 and for CUDA, with what CMake and pkg-config need to\nfind them. The headers for C++17 need nothing else.")
farpoint_debian_package(
  farpoint_documents farpoint-doc doc "documentation"
  "The documentation and the examples.")
set(CPACK_DEBIAN_FARPOINT_DOCUMENTS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_FARPOINT_DOCUMENTS_PACKAGE_MULTIARCH foreign)
set(CPACK_DEBIAN_FARPOINT_DOCUMENTS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_FARPOINT_HEADERS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_FARPOINT_HEADERS_PACKAGE_SUGGESTS "libfarpoint-dev, farpoint-doc")
farpoint_debian_package(
  farpoint_runtime libfarpoint${farpoint_soversion} libs "shared library"
  "The library for programs that were not compiled by nvcc. It uses a GPU if\nthere is one, and needs neither a driver nor CUDA to load.")
# The rest of ldconfig's duties; the scripts that CPack writes do the same for systems without triggers.
set(CPACK_DEBIAN_FARPOINT_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/packaging/deb/triggers)
farpoint_debian_package(
  farpoint_library libfarpoint-dev libdevel "library for development"
  "What programs link that call the compiled library.")
set(CPACK_DEBIAN_FARPOINT_LIBRARY_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_FARPOINT_LIBRARY_PACKAGE_DEPENDS "farpoint-dev (= ${PROJECT_VERSION})")
if(farpoint_shared)
  string(PREPEND CPACK_DEBIAN_FARPOINT_LIBRARY_PACKAGE_DEPENDS "libfarpoint${farpoint_soversion} (= ${PROJECT_VERSION}), ")
endif()

# Debian's copyright and changelog, in each package.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian_documents.cmake)
set(CPACK_FARPOINT_SOURCE ${CMAKE_CURRENT_SOURCE_DIR})
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_FARPOINT_PACKAGES ${component}=${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()
include(CPack)

# FindLASzip: LASzip 3.1 or newer, which compresses LAS to LAZ (liblaszip-dev of Ubuntu; Debian 12 has no package of it).
#
# Hint: LASzip_ROOT, a variable of CMake or of the environment: the folder that has include/laszip/laszip_api.h.
#
# Imported target
#   LASzip::LASzip
# Result variables
#   LASzip_FOUND, LASzip_VERSION, LASzip_INCLUDE_DIRS, LASzip_LIBRARIES
# Cache variables
#   LASzip_INCLUDE_DIR, LASzip_LIBRARY
#
# LASzip installs no package configuration. liblaszip has the functions of the header, liblaszip_api loads it at run time.
find_path(LASzip_INCLUDE_DIR laszip/laszip_api.h)
find_library(LASzip_LIBRARY NAMES laszip laszip3)
mark_as_advanced(LASzip_INCLUDE_DIR LASzip_LIBRARY)

unset(LASzip_VERSION)
set(_laszip_header "${LASzip_INCLUDE_DIR}/laszip/laszip_api_version.h")
if(LASzip_INCLUDE_DIR AND EXISTS "${_laszip_header}")
  file(STRINGS "${_laszip_header}" _laszip_lines REGEX "^#define LASZIP_API_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  set(_laszip_parts "")
  foreach(_laszip_part IN ITEMS MAJOR MINOR PATCH)
    if(_laszip_lines MATCHES "VERSION_${_laszip_part} +([0-9]+)")
      list(APPEND _laszip_parts "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(JOIN _laszip_parts "." LASzip_VERSION)
  unset(_laszip_lines)
  unset(_laszip_parts)
endif()
unset(_laszip_header)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LASzip
  REQUIRED_VARS LASzip_LIBRARY LASzip_INCLUDE_DIR
  VERSION_VAR LASzip_VERSION
  REASON_FAILURE_MESSAGE "Install liblaszip-dev, or set LASzip_ROOT to the folder that has include/laszip/laszip_api.h.")

if(LASzip_FOUND)
  set(LASzip_INCLUDE_DIRS "${LASzip_INCLUDE_DIR}")
  set(LASzip_LIBRARIES "${LASzip_LIBRARY}")
  if(NOT TARGET LASzip::LASzip)
    add_library(LASzip::LASzip UNKNOWN IMPORTED)
    set_target_properties(LASzip::LASzip PROPERTIES IMPORTED_LOCATION "${LASzip_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                         "${LASzip_INCLUDE_DIR}")
  endif()
endif()

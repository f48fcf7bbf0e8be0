# Runs the port without vcpkg: implements the functions that portfile.cmake calls as vcpkg documents them.
#   cmake -DWORK=folder [-DSHARED=ON] [-DLAUNCHER=ccache] -P try_port.cmake
# Leaves the package in WORK/packages/farpoint, as vcpkg would install it.
cmake_minimum_required(VERSION 3.22)
set(PORT farpoint)
set(CURRENT_PORT_DIR ${CMAKE_CURRENT_LIST_DIR}/ports/farpoint)
set(CURRENT_PACKAGES_DIR ${WORK}/packages/farpoint)
file(REMOVE_RECURSE ${WORK})

# Without features, options are off.
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" OUT_FEATURE_OPTIONS FEATURES)
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    list(APPEND options -D${option}=OFF)
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  foreach(build IN ITEMS Release Debug)
    set(prefix ${CURRENT_PACKAGES_DIR})
    if(build STREQUAL "Debug")
      string(APPEND prefix /debug)
    endif()
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/${build} -G Ninja -DCMAKE_BUILD_TYPE=${build}
        -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=${SHARED}
        -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${arg_OPTIONS})
  endforeach()
endfunction()

function(vcpkg_cmake_install)
  foreach(build IN ITEMS Release Debug)
    run(${CMAKE_COMMAND} --build ${WORK}/${build} --target install)
  endforeach()
endfunction()

# Moves the CMake files of both builds, release and debug, to share/PORT, which is one folder less deep.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  set(share ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*)
  file(COPY ${files} DESTINATION ${share})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/debug/${arg_CONFIG_PATH}/*-debug.cmake)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(REPLACE "\${_IMPORT_PREFIX}/lib" "\${_IMPORT_PREFIX}/debug/lib" text "${text}")
    file(WRITE ${share}/${name} "${text}")
  endforeach()
  file(GLOB files ${share}/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}${up}" "${up}${up}" text "${text}")
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    string(FIND "${text}" "${WORK}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} has the path of its build folder.")
    endif()
    file(WRITE ${file} "${text}")
  endforeach()
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib/cmake ${CURRENT_PACKAGES_DIR}/debug/lib/cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
  # Nothing to fix: farpoint's .pc files compute their prefix from their own path, in lib/pkgconfig of either build.
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

include(${CURRENT_PORT_DIR}/portfile.cmake)

# vcpkg rejects a package with one of these folders.
foreach(unwanted IN ITEMS debug/include debug/share lib/cmake debug/lib/cmake)
  if(EXISTS ${CURRENT_PACKAGES_DIR}/${unwanted})
    message(FATAL_ERROR "vcpkg would complain about ${unwanted}.")
  endif()
endforeach()

# Other libraries and kernels, built from their own sources. No source is copied or downloaded: a peer is measured if it is
# installed, or if FARPOINT_PEER_<NAME> names a checkout. README.md lists them.

# farpoint_peer(<name> <kind>... PLACE <folder, or empty> [VERSION <version>] SOURCES <file>...
#               [INCLUDES <folder>...] [FIRST_INCLUDES <folder>...] [LIBRARIES <library>...] [OPTIONS <flag>...])
#
# Compiles a peer once for all programs that measure one of the kinds. Without a folder it is noted as missing. VERSION
# defaults to the commit of the checkout. FIRST_INCLUDES are searched before the folders of the compiler.
function(farpoint_peer name)
  cmake_parse_arguments(peer "" "PLACE;VERSION" "SOURCES;INCLUDES;FIRST_INCLUDES;LIBRARIES;OPTIONS" ${ARGN})
  foreach(kind IN LISTS peer_UNPARSED_ARGUMENTS)
    if(NOT peer_PLACE)
      set_property(DIRECTORY APPEND PROPERTY farpoint_missing_${kind} ${name})
    else()
      set_property(DIRECTORY APPEND PROPERTY farpoint_peers_${kind} ${name})
    endif()
  endforeach()
  if(NOT peer_PLACE)
    return()
  endif()
  if(NOT DEFINED peer_VERSION)
    farpoint_commit_of(${peer_PLACE} peer_VERSION)
  endif()
  message(STATUS "farpoint: ${name} ${peer_VERSION} is measured beside")
  set_property(DIRECTORY PROPERTY farpoint_version_${name} ${peer_VERSION})
  add_library(farpoint_peer_${name} OBJECT EXCLUDE_FROM_ALL ${peer_SOURCES})
  target_include_directories(farpoint_peer_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
                                                          ${peer_FIRST_INCLUDES})
  # Warnings of others are not ours.
  target_include_directories(farpoint_peer_${name} SYSTEM PRIVATE ${peer_INCLUDES})
  get_property(options TARGET farpoint_peer_${name} PROPERTY COMPILE_OPTIONS)
  list(FILTER options EXCLUDE REGEX "Werror")
  set_property(TARGET farpoint_peer_${name} PROPERTY COMPILE_OPTIONS "${options};${peer_OPTIONS}")
  set_property(TARGET farpoint_peer_${name} PROPERTY farpoint_libraries "${peer_LIBRARIES}")
endfunction()

# farpoint_commit_of(<folder> <variable>): of the checkout whose root the folder is, "-dirty" behind it if files differ.
function(farpoint_commit_of folder variable)
  set(commit "unknown")
  # A folder without its history may lie in another checkout.
  if(Git_FOUND AND EXISTS ${folder}/.git)
    execute_process(
      COMMAND ${GIT_EXECUTABLE} -C ${folder} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE described
      OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET)
    if(described)
      set(commit ${described})
    endif()
  endif()
  set(${variable} ${commit} PARENT_SCOPE)
endfunction()

# farpoint_use_peers(<program> <kind>...): links the peers of these kinds. The program's results name their versions,
# and missing peers.
function(farpoint_use_peers program)
  set(found "")
  set(missing "")
  foreach(kind IN LISTS ARGN)
    get_property(some DIRECTORY PROPERTY farpoint_peers_${kind})
    list(APPEND found ${some})
    get_property(some DIRECTORY PROPERTY farpoint_missing_${kind})
    list(APPEND missing ${some})
  endforeach()
  list(REMOVE_DUPLICATES found)
  list(REMOVE_DUPLICATES missing)
  set(versions "")
  foreach(name IN LISTS found)
    get_property(version DIRECTORY PROPERTY farpoint_version_${name})
    list(APPEND versions "${name} ${version}")
    get_property(libraries TARGET farpoint_peer_${name} PROPERTY farpoint_libraries)
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:farpoint_peer_${name}>)
    target_link_libraries(${program} PRIVATE ${libraries})
  endforeach()
  list(JOIN versions ", " versions)
  list(JOIN missing ", " missing)
  target_compile_definitions(${program} PRIVATE FARPOINT_PEERS="${versions}" FARPOINT_PEERS_MISSING="${missing}")
endfunction()

# farpoint_describe_commit(<variable>): sets it to the commit of the sources, "-dirty" behind it if they are others, for
# programs whose results name it; FARPOINT_COMMIT in the environment of a run goes before it. Configuring runs again when
# HEAD moves.
find_package(Git QUIET)
function(farpoint_describe_commit variable)
  set(${variable} "unknown" PARENT_SCOPE)
  if(NOT Git_FOUND)
    return()
  endif()
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE described
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  if(described)
    set(${variable} ${described} PARENT_SCOPE)
  endif()
  execute_process(
    COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE head
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  get_filename_component(head "${head}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(EXISTS "${head}" AND NOT IS_DIRECTORY "${head}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${head}")
  endif()
endfunction()

# Moves the prefix of BINARY back to where it was installed, uninstalls, and fails if anything of it is left.
if(NOT EXISTS ${BINARY}/moved)
  return() # the install test has failed, and said so
endif()
file(RENAME ${BINARY}/moved ${BINARY}/prefix)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BINARY} --target uninstall RESULT_VARIABLE exit_code)
file(GLOB_RECURSE left ${BINARY}/prefix/*)
if(NOT exit_code EQUAL 0 OR left)
  message(FATAL_ERROR "Uninstalling ended with ${exit_code} and left: ${left}")
endif()

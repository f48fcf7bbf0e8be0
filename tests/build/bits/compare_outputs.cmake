# Runs PROGRAMS with an argument and fails unless all print the same and succeed.
#   cmake "-DPROGRAMS=a;b;c" -DARGUMENT=d -P compare_outputs.cmake
list(LENGTH PROGRAMS count)
if(count LESS 2)
  message(FATAL_ERROR "There is nothing to compare: ${PROGRAMS}")
endif()
foreach(program IN LISTS PROGRAMS)
  get_filename_component(name ${program} NAME)
  execute_process(
    COMMAND ${program} ${ARGUMENT}
    RESULT_VARIABLE exit_code
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT exit_code EQUAL 0 OR output STREQUAL "")
    message(FATAL_ERROR "${name} failed (${exit_code}): ${output}${errors}")
  endif()
  if(NOT DEFINED expected)
    set(expected "${output}")
    set(first ${name})
    message("${output}")
  elseif(NOT output STREQUAL expected)
    message(FATAL_ERROR "${name} prints\n${output}but ${first} prints\n${expected}")
  endif()
  message(STATUS "same: ${name}")
endforeach()

# Compiles SOURCE and fails unless that fails with the sentence that SOURCE begins with, "// expect: ...".
#   cmake "-DCOMPILE=compiler;arguments" -DSOURCE=case.cpp -P must_not_compile.cmake
# Not file(STRINGS), which makes a list of a sentence with a semicolon.
file(READ ${SOURCE} text)
if(NOT text MATCHES "^// expect: ([^\n]+)")
  message(FATAL_ERROR "${SOURCE} does not begin with \"// expect: ...\".")
endif()
set(expected "${CMAKE_MATCH_1}")

execute_process(COMMAND ${COMPILE} -DFARPOINT_CORRECTED ${SOURCE} RESULT_VARIABLE exit_code ERROR_VARIABLE errors)
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "Does not compile without its mistake either:\n${errors}")
endif()

execute_process(COMMAND ${COMPILE} ${SOURCE} RESULT_VARIABLE exit_code ERROR_VARIABLE errors)
if(exit_code EQUAL 0)
  message(FATAL_ERROR "Compiles, but should say: ${expected}")
endif()
string(FIND "${errors}" "${expected}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "Does not say \"${expected}\", but:\n${errors}")
endif()
message(STATUS "The user sees: ${expected}")

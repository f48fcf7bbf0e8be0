# Compiles SOURCE and fails unless that fails with the sentence on the line "// expect: ..." of SOURCE.
#   cmake "-DCOMPILE=compiler;arguments" -DSOURCE=case.cpp -P must_not_compile.cmake
file(STRINGS ${SOURCE} expected REGEX "^// expect: ")
string(REGEX REPLACE "^// expect: " "" expected "${expected}")
if(NOT expected)
  message(FATAL_ERROR "${SOURCE} has no line \"// expect: ...\".")
endif()

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

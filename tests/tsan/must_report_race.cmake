# Runs PROGRAM and fails unless ThreadSanitizer reports a data race in it.
#   cmake "-DPROGRAM=command;arguments" -P must_report_race.cmake
execute_process(
  COMMAND ${PROGRAM}
  RESULT_VARIABLE exit_code
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
# 66 is what a program ends with after a report, whatever its main() returned.
if(NOT exit_code EQUAL 66 OR NOT output MATCHES "WARNING: ThreadSanitizer: data race")
  message(FATAL_ERROR "A race went unnoticed (exit code ${exit_code}):\n${output}")
endif()
message(STATUS "ThreadSanitizer reported the race.")

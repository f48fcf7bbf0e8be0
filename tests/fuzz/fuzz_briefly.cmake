# Runs PROGRAM on the inputs of CORPUS, an archive, and on new ones, RUNS in all, the same in each run. New inputs that
# reach new code go into a folder of their own, which is empty at first.
get_filename_component(name "${PROGRAM}" NAME)
set(found "${CMAKE_CURRENT_BINARY_DIR}/${name}_found")
file(REMOVE_RECURSE "${found}")
file(MAKE_DIRECTORY "${found}")
set(corpus "${CMAKE_CURRENT_BINARY_DIR}/${name}_corpus")
file(REMOVE_RECURSE "${corpus}")
file(ARCHIVE_EXTRACT INPUT "${CORPUS}" DESTINATION "${corpus}")
execute_process(COMMAND "${PROGRAM}" -runs=${RUNS} -seed=1 -max_len=2048 -timeout=20 -verbosity=0 -print_final_stats=1
                        "${found}" "${corpus}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${name}: ${status}")
endif()

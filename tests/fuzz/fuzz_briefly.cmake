# Runs PROGRAM on the inputs of CORPUS and on new ones, RUNS in all, always the same. What it finds interesting goes into a
# folder of its own, which is empty at first.
get_filename_component(name "${PROGRAM}" NAME)
set(found "${CMAKE_CURRENT_BINARY_DIR}/${name}_found")
file(REMOVE_RECURSE "${found}")
file(MAKE_DIRECTORY "${found}")
execute_process(COMMAND "${PROGRAM}" -runs=${RUNS} -seed=1 -max_len=2048 -timeout=20 -verbosity=0 -print_final_stats=1
                        "${found}" "${CORPUS}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${name}: ${status}")
endif()

# Race checks that every build runs: block_race.cpp, hash_map_race.cpp and shard_race.cpp must be clean, and each mutation, a barrier left
# out or a rule of the map broken, must be found.
if(FARPOINT_TSAN_WORKS)
  function(farpoint_add_tsan_program name source)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE farpoint::host)
    target_compile_definitions(${name} PRIVATE ${ARGN})
    target_compile_options(${name} PRIVATE ${FARPOINT_TSAN_FLAGS} -O1)
    target_link_options(${name} PRIVATE ${FARPOINT_TSAN_FLAGS})
  endfunction()

  farpoint_add_tsan_program(farpoint_tsan_block_race tsan/block_race.cpp)
  add_test(NAME tsan.block_race COMMAND ${FARPOINT_TSAN_LAUNCHER} $<TARGET_FILE:farpoint_tsan_block_race>)

  foreach(mutation IN ITEMS 1 2)
    farpoint_add_tsan_program(farpoint_tsan_mutation_${mutation} tsan/mutation.cpp FARPOINT_MUTATION=${mutation})
    add_test(
      NAME tsan.mutation_${mutation}
      COMMAND ${CMAKE_COMMAND} "-DPROGRAM=${FARPOINT_TSAN_LAUNCHER};$<TARGET_FILE:farpoint_tsan_mutation_${mutation}>"
              -P ${CMAKE_CURRENT_LIST_DIR}/must_report_race.cmake)
  endforeach()

  farpoint_add_tsan_program(farpoint_tsan_hash_map tsan/hash_map_race.cpp)
  add_test(NAME tsan.hash_map COMMAND ${FARPOINT_TSAN_LAUNCHER} $<TARGET_FILE:farpoint_tsan_hash_map>)
  foreach(mutation IN ITEMS 1 2 3)
    farpoint_add_tsan_program(farpoint_tsan_hash_map_mutation_${mutation} tsan/hash_map_race.cpp
                              FARPOINT_MUTATION=${mutation})
    add_test(
      NAME tsan.hash_map_mutation_${mutation}
      COMMAND
        ${CMAKE_COMMAND} "-DPROGRAM=${FARPOINT_TSAN_LAUNCHER};$<TARGET_FILE:farpoint_tsan_hash_map_mutation_${mutation}>"
        -P ${CMAKE_CURRENT_LIST_DIR}/must_report_race.cmake)
  endforeach()

  farpoint_add_tsan_program(farpoint_tsan_shard tsan/shard_race.cpp)
  add_test(NAME tsan.shard COMMAND ${FARPOINT_TSAN_LAUNCHER} $<TARGET_FILE:farpoint_tsan_shard>)
  farpoint_add_tsan_program(farpoint_tsan_shard_mutation_1 tsan/shard_race.cpp FARPOINT_MUTATION=1)
  add_test(
    NAME tsan.shard_mutation_1
    COMMAND ${CMAKE_COMMAND} "-DPROGRAM=${FARPOINT_TSAN_LAUNCHER};$<TARGET_FILE:farpoint_tsan_shard_mutation_1>"
            -P ${CMAKE_CURRENT_LIST_DIR}/must_report_race.cmake)
else()
  message(WARNING "ThreadSanitizer does not work here: the race checks are skipped.")
  add_test(NAME tsan COMMAND sh -c "echo 'SKIPPED: ThreadSanitizer does not work with this compiler'; exit 77")
  set_tests_properties(tsan PROPERTIES SKIP_RETURN_CODE 77)
endif()

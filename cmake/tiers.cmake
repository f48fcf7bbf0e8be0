# Tiers of tests: tier0 is ./dev check, tier1 ./dev test --quick, tier2 ./dev test, tier3 ./dev test --all. A tier runs those
# below it, too.

# farpoint_tests_begin_in(<tier>): the tests that this folder has added so far and that have no tier.
function(farpoint_tests_begin_in tier)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    get_property(labels TEST ${test} PROPERTY LABELS)
    if(NOT labels MATCHES "tier[0-3]")
      set_property(TEST ${test} APPEND PROPERTY LABELS ${tier})
    endif()
  endforeach()
endfunction()

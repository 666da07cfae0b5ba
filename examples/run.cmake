# SPDX-License-Identifier: Apache-2.0
# Runs an example; its lines, sorted, must be those of the expected file. The order of records of
# different keys is not defined.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
string(STRIP "${output}" output)
string(REPLACE "\n" ";" lines "${output}")
list(SORT lines)
file(STRINGS ${EXPECTED} wanted)
if(NOT lines STREQUAL wanted)
    message(FATAL_ERROR "wanted:\n${wanted}\ngot:\n${lines}")
endif()

# SPDX-License-Identifier: Apache-2.0
# Builds explored copies of product code, and mutants of them; see explorer.h.

set(INTERLEAVE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# Contexts of one system thread that are put back in time are beyond the sanitizers; what they could
# find is found by the unit and stress tests. Linked after filbert_flags, so that it has the last
# word.
add_library(interleave_flags INTERFACE)
target_link_libraries(interleave_flags INTERFACE filbert_flags)
target_include_directories(interleave_flags INTERFACE ${PROJECT_SOURCE_DIR})

add_library(interleave_plain INTERFACE)
target_compile_options(interleave_plain INTERFACE -O2 -fno-sanitize=all -U_FORTIFY_SOURCE)

# Stacks tell states apart: few registers and slots that are dead, none that dead calls left.
add_library(interleave_explored INTERFACE)
target_compile_options(interleave_explored INTERFACE -O1 -fno-sanitize=all -finstrument-functions
    -include ${INTERLEAVE_FOLDER}/explored_atomic.h)

add_library(explorer OBJECT
    interleave/actor.c interleave/explored_os.c interleave/explorer.c interleave/hash.c
    interleave/memory.c interleave/sharing.c interleave/states.c)
target_link_libraries(explorer PRIVATE interleave_flags interleave_plain)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
target_link_libraries(explorer INTERFACE ${XXHASH_LIBRARY})

# Adds the command that makes the copy of src/NAME in FOLDER.
function(explored_copy name folder table change)
    add_custom_command(OUTPUT ${folder}/${name}
        COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/src/${name} -DTO=${folder}/${name}
            -DNAME=${name} -DTABLE=${table} ${change}
            -P ${INTERLEAVE_FOLDER}/rewrite.cmake
        DEPENDS ${PROJECT_SOURCE_DIR}/src/${name} ${table} ${INTERLEAVE_FOLDER}/rewrite.cmake
        COMMENT "Rewriting ${name}" VERBATIM)
endfunction()

# filbert_explored(kernel TABLE interleave/kernel_table.cmake HEADERS lib/conc/stack.h
#                  SOURCES core/exec/exec.c ... CASES interleave/kernel_cases.c PARTS 4
#                  DEPENDS lib/mem):
# explored_kernel, a library of the copies and the cases; a program that plays the cases, in so many
# tests; and for each mutant in the table one that passes when its case fails.
function(filbert_explored name)
    # Its code is compiled without sanitizers: their builds would explore the same once more.
    if(FILBERT_SANITIZE)
        return()
    endif()
    cmake_parse_arguments(arg "" "TABLE;CASES;PARTS" "HEADERS;SOURCES;DEPENDS" ${ARGN})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/explored/${name})
    set(table ${CMAKE_CURRENT_SOURCE_DIR}/${arg_TABLE})
    foreach(file IN LISTS arg_HEADERS arg_SOURCES)
        explored_copy(${file} ${folder} ${table} -DMUTANT=)
    endforeach()
    list(TRANSFORM arg_HEADERS PREPEND ${folder}/ OUTPUT_VARIABLE headers)
    list(TRANSFORM arg_SOURCES PREPEND ${folder}/ OUTPUT_VARIABLE sources)
    add_custom_target(explored_${name}_headers DEPENDS ${headers})

    add_library(explored_${name} STATIC ${sources})
    add_library(explored_${name}_cases OBJECT ${arg_CASES})
    foreach(target explored_${name} explored_${name}_cases)
        target_include_directories(${target} BEFORE PRIVATE ${folder})
        target_link_libraries(${target} PRIVATE interleave_flags interleave_explored)
        add_dependencies(${target} explored_${name}_headers)
    endforeach()
    filbert_names("${arg_DEPENDS}" depends)
    target_link_libraries(explored_${name} INTERFACE $<TARGET_OBJECTS:explorer>
        $<TARGET_OBJECTS:explored_${name}_cases> ${depends} ${XXHASH_LIBRARY})

    add_executable(interleave_${name} interleave/suite_main.c)
    target_link_libraries(interleave_${name} PRIVATE explored_${name} interleave_flags cmocka)
    foreach(part RANGE 1 ${arg_PARTS})
        math(EXPR number "${part} - 1")
        add_test(NAME interleave/${name}/${part} COMMAND interleave_${name} ${number} ${arg_PARTS})
        set_tests_properties(interleave/${name}/${part} PROPERTIES LABELS interleave TIMEOUT 300
            PROCESSORS ${FILBERT_TEST_PLACES} COST ${FILBERT_TEST_LONG})
    endforeach()

    function(setting)
    endfunction()
    function(race)
    endfunction()
    # The mutated file stands before the library, whose copy of it is then not linked.
    function(mutant mutant case file old new)
        set(target mutant_${name}_${mutant})
        explored_copy(${file} ${folder}/mutants/${mutant} ${table} -DMUTANT=${mutant})
        add_executable(${target} interleave/mutant_main.c ${folder}/mutants/${mutant}/${file})
        target_include_directories(${target} BEFORE PRIVATE ${folder})
        target_compile_options(${target} PRIVATE -w)
        target_link_libraries(${target} PRIVATE explored_${name} interleave_flags
            interleave_explored)
        add_dependencies(${target} explored_${name}_headers)
        add_test(NAME interleave/mutant/${mutant} COMMAND ${target} ${case})
        set_tests_properties(interleave/mutant/${mutant} PROPERTIES LABELS interleave TIMEOUT 120
            PROCESSORS ${FILBERT_TEST_PLACES})
    endfunction()
    include(${table})
endfunction()

# filbert_races(stress/kernel TABLE interleave/kernel_table.cmake DEPENDS core/exec): for each race
# in the table the stress test with that change, which passes when the thread sanitizer stops it.
function(filbert_races path)
    cmake_parse_arguments(arg "" "TABLE" "DEPENDS" ${ARGN})
    set(table ${CMAKE_CURRENT_SOURCE_DIR}/${arg_TABLE})
    filbert_names("${arg_DEPENDS}" depends)
    function(setting)
    endfunction()
    function(mutant)
    endfunction()
    function(race race file old new)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/races/${race})
        explored_copy(${file} ${folder} ${table} -DRACE=${race})
        add_executable(race_${race} ${path}_test.c ${folder}/${file})
        target_include_directories(race_${race} PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(race_${race} PRIVATE filbert_flags ${depends} cmocka)
        add_test(NAME stress/race/${race} COMMAND race_${race})
        set_tests_properties(stress/race/${race} PROPERTIES LABELS stress TIMEOUT 120
            PROCESSORS ${FILBERT_TEST_PLACES} WILL_FAIL TRUE
            ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
    endfunction()
    include(${table})
endfunction()

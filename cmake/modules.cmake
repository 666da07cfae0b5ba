# SPDX-License-Identifier: Apache-2.0
# One line a module: a folder of src/, its sources, the modules it stands on.

# lib/conc -> lib_conc
function(filbert_target_name path out_name)
    string(REPLACE "/" "_" name ${path})
    set(${out_name} ${name} PARENT_SCOPE)
endfunction()

function(filbert_names paths out_names)
    set(names "")
    foreach(path IN LISTS paths)
        filbert_target_name(${path} name)
        list(APPEND names ${name})
    endforeach()
    set(${out_names} ${names} PARENT_SCOPE)
endfunction()

# filbert_module(lib/conc SOURCES mpmc.c role.c DEPENDS lib/base lib/os [LIBRARIES ...])
function(filbert_module path)
    cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LIBRARIES;INCLUDES" ${ARGN})
    filbert_target_name(${path} name)
    list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${path}/)
    filbert_names("${arg_DEPENDS}" depends)
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC filbert_flags ${depends} ${arg_LIBRARIES})
    target_include_directories(${name} SYSTEM PRIVATE ${arg_INCLUDES})
endfunction()

# Tests of programs that compute take two of ctest's places, those that mostly wait for others one:
# tools/test has two places a processor. What takes long begins first: a clean checkout knows no
# times of earlier runs.
set(FILBERT_TEST_PLACES 2)
set(FILBERT_TEST_LONG 100)

# tests_unit builds the unit tests, and so on for every label.
function(filbert_label_builds label target)
    if(NOT TARGET tests_${label})
        add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
endfunction()

# What only a test that hangs needs, also under a sanitizer on a machine that is busy.
set(FILBERT_TEST_SECONDS 300)

# filbert_test(unit/lib/conc/mpmc DEPENDS lib/conc [LABEL unit] [SOURCES extra.c]):
# tests/unit/lib/conc/mpmc_test.c, a cmocka program.
function(filbert_test path)
    cmake_parse_arguments(arg "" "LABEL" "DEPENDS;SOURCES" ${ARGN})
    filbert_target_name(${path} name)
    filbert_names("${arg_DEPENDS}" depends)
    set(label ${arg_LABEL})
    if(NOT label)
        string(REGEX REPLACE "/.*" "" label ${path})
    endif()
    add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/${path}_test.c ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE filbert_flags ${depends} cmocka)
    add_test(NAME ${path} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${path} PROPERTIES LABELS ${label} TIMEOUT ${FILBERT_TEST_SECONDS}
        PROCESSORS ${FILBERT_TEST_PLACES})
    filbert_label_builds(${label} ${name})
endfunction()

# filbert_fuzz(resp DEPENDS protocol/resp): tests/fuzz/resp_fuzz.c, corpus tests/fuzz/corpus/resp.
# Without libFuzzer the same target replays its corpus, so that it cannot rot.
function(filbert_fuzz name)
    cmake_parse_arguments(arg "" "" "DEPENDS;SOURCES" ${ARGN})
    filbert_names("${arg_DEPENDS}" depends)
    set(sources ${PROJECT_SOURCE_DIR}/tests/fuzz/${name}_fuzz.c ${arg_SOURCES})
    if(NOT FILBERT_FUZZ)
        list(APPEND sources ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
    endif()
    add_executable(fuzz_${name} ${sources})
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(fuzz_${name} PRIVATE filbert_flags ${depends})
    if(FILBERT_FUZZ)
        target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
        add_test(NAME fuzz/${name} COMMAND fuzz_${name} tests/fuzz/corpus/${name}
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT ${FILBERT_TEST_SECONDS}
            PROCESSORS ${FILBERT_TEST_PLACES})
        filbert_label_builds(fuzz fuzz_${name})
    endif()
endfunction()

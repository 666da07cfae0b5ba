# SPDX-License-Identifier: Apache-2.0
# Makes the explored copy of one source file:
#
#     cmake -DFROM=path -DTO=path -DNAME=core/exec/exec.c -DTABLE=path -DMUTANT=name
#         -P rewrite.cmake
#
# Every atomic access gets the name of the explorer's twin, and every thread-local variable becomes
# one that each actor has for itself. The table's settings, and the one mutant
# that is asked for, change the text; a change that does not fit in exactly one place is an error.
# With RACE=name instead of MUTANT that change alone is made: the copy is for real threads.
cmake_minimum_required(VERSION 3.25)

file(READ "${FROM}" text)

function(replace_once old new)
    string(FIND "${text}" "${old}" first)
    string(FIND "${text}" "${old}" last REVERSE)
    if(first EQUAL -1)
        message(FATAL_ERROR "${NAME} does not contain this text any more:\n${old}")
    endif()
    if(NOT first EQUAL last)
        message(FATAL_ERROR "${NAME} contains this text more than once:\n${old}")
    endif()
    string(REPLACE "${old}" "${new}" text "${text}")
    set(text "${text}" PARENT_SCOPE)
endfunction()

function(setting name old new)
    if(name STREQUAL NAME AND NOT RACE)
        replace_once("${old}" "${new}")
        set(text "${text}" PARENT_SCOPE)
    endif()
endfunction()

function(mutant name case file old new)
    if(name STREQUAL MUTANT)
        replace_once("${old}" "${new}")
        set(text "${text}" PARENT_SCOPE)
    endif()
endfunction()

function(race name file old new)
    if(name STREQUAL RACE)
        replace_once("${old}" "${new}")
        set(text "${text}" PARENT_SCOPE)
    endif()
endfunction()

include("${TABLE}")

if(NOT RACE)
    string(REGEX REPLACE "atomic_([a-z_]+)_explicit\\(" "fil_explored_\\1(" text "${text}")
    string(REPLACE "_Thread_local " "FIL_EXPLORED_LOCAL " text "${text}")
endif()
file(WRITE "${TO}" "#line 1 \"${NAME}\"\n${text}")

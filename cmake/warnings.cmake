# SPDX-License-Identifier: Apache-2.0
# Flags that hold for every file of the project.
add_library(filbert_flags INTERFACE)

target_compile_definitions(filbert_flags INTERFACE _GNU_SOURCE
    FIL_VERSION="${PROJECT_VERSION}"
    $<$<CONFIG:Debug>:FIL_DEBUG>)
target_include_directories(filbert_flags INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

target_compile_options(filbert_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wundef -Wvla -Wformat=2
    -Wnull-dereference -Wdouble-promotion -Wswitch-enum -Wimplicit-fallthrough
    -Wpointer-arith -Wwrite-strings
    -fno-omit-frame-pointer -fvisibility=hidden
    # File names in messages start at the project's root, wherever it was built.
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(filbert_flags INTERFACE -Wduplicated-cond -Wduplicated-branches
        -Wlogical-op -Wjump-misses-init -Walloc-zero -Warith-conversion)
else()
    target_compile_options(filbert_flags INTERFACE -Wthread-safety -Wassign-enum -Wcomma
        -Wunreachable-code -Wshorten-64-to-32)
endif()
if(FILBERT_WERROR)
    target_compile_options(filbert_flags INTERFACE -Werror)
endif()

if(FILBERT_FUZZ)
    # Coverage for libFuzzer in every file, not only in the targets.
    target_compile_options(filbert_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(FILBERT_SANITIZE)
    target_compile_options(filbert_flags INTERFACE -fsanitize=${FILBERT_SANITIZE}
        -fno-sanitize-recover=all)
    target_link_options(filbert_flags INTERFACE -fsanitize=${FILBERT_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    # Hardening; the sanitizers bring their own and do not mix with it.
    target_compile_options(filbert_flags INTERFACE -fstack-protector-strong
        -fstack-clash-protection -fcf-protection -D_FORTIFY_SOURCE=2)
    target_link_options(filbert_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# The hot path runs through several libraries: the program is optimised as a whole. The objects hold
# ordinary code too, so that linking the many tests takes no time.
if(FILBERT_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(filbert_flags INTERFACE -flto=auto -ffat-lto-objects)
    add_link_options(-fno-lto)
endif()

# Links a program as one whole where the build asks for it.
function(filbert_optimise_whole target)
    if(FILBERT_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_link_options(${target} PRIVATE -flto=auto -O2)
    endif()
endfunction()

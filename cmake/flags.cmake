# flags.cmake - how all our C is compiled.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
add_compile_definitions(_POSIX_C_SOURCE=200809L) # a clock that only goes forward; signals, terminals
set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # for clang-tidy and editors

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, ..." FORCE)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)

# No -ffast-math, and no fused multiply-add behind our back: the bits are those of the source.
add_compile_options(-ffp-contract=off)
# Nor more digits than a float has: on i686 by SSE, elsewhere by telling gcc.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^i[3-6]86$")
    add_compile_options(-msse2 -mfpmath=sse)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fexcess-precision=fast)
endif()
# errno after a square root is not read here; without it, loops with square roots are vectorized.
add_compile_options(-fno-math-errno)

if(SUSTAIN_NATIVE)
    add_compile_options(-march=native)
endif()

# Hardening. FORTIFY wants an optimizer and knows nothing of the sanitizers, which check more.
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fstack-protector-strong)
if(NOT APPLE)
    add_link_options(LINKER:-z,relro,-z,now)
endif()
if(NOT SUSTAIN_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "^Rel")
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

if(SUSTAIN_SANITIZE)
    add_compile_options(-fsanitize=${SUSTAIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SUSTAIN_SANITIZE})
    find_program(SUSTAIN_LLD ld.lld) # a hundred programs are linked: half of the time
    if(SUSTAIN_LLD AND CMAKE_C_COMPILER_ID MATCHES "Clang")
        add_link_options(-fuse-ld=lld)
    endif()
endif()

if(SUSTAIN_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_compile_definitions(SUSTAIN__HALF_BITS=9) # a small table of terms: it is filled for every input
endif()

# tests.cmake - one executable per file; a test is called folder/file and carries its folder as
# label.
#
#   tests/{unit,oracle,conformance,fidelity,threads}/*.c    cmocka, linked with sustain-lab and the static library: may test internals
#   tests/fuzz/*.c           LLVMFuzzerTestOneInput, run over tests/fuzz/corpus/NAME
#   tests/cli/run.sh         gets the program's path
#   examples/*.c             linked with the shared library, as users do
# tests/install is run by tools/check.sh, since it needs both builds.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka) # Debian: libcmocka-dev

# What every test is linked with: the helpers of tests/support.
file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(support INTERFACE)
target_include_directories(support INTERFACE src tests/support)
target_link_libraries(support INTERFACE PkgConfig::CMOCKA sustain-lab libraries Threads::Threads m)
get_target_property(internals sustain-fewshot${suffix}-objects COMPILE_DEFINITIONS) # which parts there are: SUSTAIN__AVX2, ...
target_compile_definitions(support INTERFACE ${internals})
# The tests themselves are optimized little: each is compiled for the sake of a second of running.
# Code of the library that they call is compiled as for users. Unit tests compute next to nothing
# themselves; others have transcriptions of algorithms.
set(little "")
if(SUSTAIN_SANITIZE AND NOT SUSTAIN_FUZZ)
    set(little -O0)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(little "$<IF:$<STREQUAL:$<TARGET_PROPERTY:SUSTAIN_LABEL>,unit>,SHELL:-O0 -U_FORTIFY_SOURCE,-O1>")
endif()
target_compile_options(support INTERFACE ${little})
add_library(support_objects STATIC ${support_sources})
target_link_libraries(support_objects PRIVATE support)
add_library(tested INTERFACE)
target_link_libraries(tested INTERFACE support_objects support)

# add_program(folder source target): an executable build/tests/folder/file, or build/examples/file.
# `cmake --build --target tests-LABEL` makes those of one label.
function(add_program folder source out)
    cmake_path(GET source STEM name)
    cmake_path(GET folder FILENAME label)
    set(target ${label}-${name})
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder} SUSTAIN_LABEL ${label})
    if(NOT TARGET tests-${label})
        add_custom_target(tests-${label})
    endif()
    add_dependencies(tests-${label} ${target})
    set(${out} ${target} PARENT_SCOPE)
endfunction()

# add_labelled_test(folder name seconds command...)
function(add_labelled_test label name seconds)
    add_test(NAME ${label}/${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${label}/${name} PROPERTIES LABELS ${label} TIMEOUT ${seconds})
    if(NOT label STREQUAL "fuzz") # a finding of libFuzzer ends with 77 too
        set_tests_properties(${label}/${name} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
    if(label MATCHES "^(conformance|cli|threads|fidelity)$") # the long ones first, so that none is alone at the end
        set_tests_properties(${label}/${name} PROPERTIES COST 100)
    endif()
endfunction()

foreach(folder unit oracle conformance fidelity threads)
    file(GLOB sources CONFIGURE_DEPENDS tests/${folder}/*.c)
    foreach(source ${sources})
        cmake_path(GET source STEM name)
        add_program(tests/${folder} ${source} target)
        target_link_libraries(${target} PRIVATE tested)
        add_labelled_test(${folder} ${name} 600 ${target})
    endforeach()
endforeach()

# tests/unit/test_null.c calls every function of the public headers but mpi.h: its calls are made
# from them.
set(called ${headers})
list(FILTER called EXCLUDE REGEX "/mpi\\.h$")
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/tests/null_calls.h DEPENDS ${called} tests/unit/null_calls.awk VERBATIM
                   COMMAND sh -c "awk -f \"$0\" \"$@\" > tests/null_calls.h" ${PROJECT_SOURCE_DIR}/tests/unit/null_calls.awk ${called}
                   WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "Writing calls with NULL")
target_sources(unit-test_null PRIVATE ${PROJECT_BINARY_DIR}/tests/null_calls.h)
target_include_directories(unit-test_null PRIVATE ${PROJECT_BINARY_DIR}/tests)

file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*.c)
foreach(source ${sources})
    cmake_path(GET source STEM name)
    add_program(tests/fuzz ${source} target)
    target_link_libraries(${target} PRIVATE tested)
    set(corpus tests/fuzz/corpus/${name})
    if(SUSTAIN_FUZZ)
        # New inputs are kept in the build folder; the committed ones are only read.
        set(found ${PROJECT_BINARY_DIR}/corpus/${name})
        file(MAKE_DIRECTORY ${found})
        if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${corpus})
            set(corpus "")
        endif()
        target_sources(${target} PRIVATE tests/fuzz/driver/sanitizer.c)
        target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp) # the checks of what was read
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        add_labelled_test(fuzz ${name} 600 ${target} -max_len=16384 -max_total_time=60 ${found} ${corpus})
    else()
        target_sources(${target} PRIVATE tests/fuzz/driver/main.c)
        add_labelled_test(fuzz ${name} 300 ${target} ${corpus})
    endif()
endforeach()

# The readers and writers of small CSV files belong to the program, which is no library.
target_sources(unit-test_csv_write PRIVATE cli/csv_write.c)
target_include_directories(unit-test_csv_write PRIVATE ${PROJECT_SOURCE_DIR})
target_sources(fuzz-fuzz_records PRIVATE cli/record_file.c cli/whole_numbers.c)
target_include_directories(fuzz-fuzz_records PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(fuzz-fuzz_records PRIVATE jansson)
if(TARGET sustain-program-objects)
    foreach(name clean_inputs options pictures resume)
        target_link_libraries(fuzz-fuzz_${name} PRIVATE sustain-program-objects)
    endforeach()
endif()

# Mutations that keep lengths and checksums right.
if(SUSTAIN_FUZZ)
    foreach(name safetensors model fewshot checkpoint trainer clean_models)
        target_sources(fuzz-fuzz_${name} PRIVATE tests/fuzz/mutator/safetensors.c)
    endforeach()
    foreach(name checkpoint trainer clean_models)
        target_compile_definitions(fuzz-fuzz_${name} PRIVATE PREFIX=2) # the first bytes choose what is tried
    endforeach()
    target_sources(fuzz-fuzz_npz PRIVATE tests/fuzz/mutator/npz.c)
    target_sources(fuzz-fuzz_parts PRIVATE tests/fuzz/mutator/parts.c)
endif()

foreach(target unit-test_report fuzz-fuzz_report)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE sustain-report jansson)
endforeach()

if(TARGET sustain-program AND EXISTS ${PROJECT_SOURCE_DIR}/tests/cli/run.sh)
    set(short)
    if(SUSTAIN_SANITIZE)
        set(short --short) # all of them: group asan-cli of tools/check.sh
    endif()
    foreach(part 1 2 3) # so that no processor waits for one long test
        add_labelled_test(cli run-${part} 600 bash tests/cli/run.sh ${short} --part ${part}/3 $<TARGET_FILE:sustain-program>)
    endforeach()
    add_labelled_test(crash run 600 python3 tests/crash/run.py $<TARGET_FILE:sustain-program>)
    add_labelled_test(crash numbers 600 python3 tests/crash/numbers.py $<TARGET_FILE:sustain-program>)
endif()

file(GLOB sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${sources})
    cmake_path(GET source STEM name)
    add_program(examples ${source} target)
    target_link_libraries(${target} PRIVATE sustain-fewshot${suffix} sustain-learn${suffix} sustain${suffix} m)
    add_labelled_test(examples ${name} 120 ${target})
endforeach()

# The same program with the library that needs nothing but libm.
if(TARGET sustain-device)
    add_executable(examples-fewshot-small examples/fewshot.c)
    target_link_libraries(examples-fewshot-small PRIVATE sustain-device)
    add_labelled_test(examples fewshot-small 120 examples-fewshot-small)
endif()

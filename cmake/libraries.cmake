# libraries.cmake - add_public_library(NAME DESCRIPTION MODULES module... [USES library...]
# [LIBRARIES lib...] [INCLUDES dir...] [DEFINITIONS name...])
#
# One public library: the sources of its modules, shared and static, with a versioned soname, a .pc
# file and a CMake component. It may use the internal functions (sustain__*) of the libraries that
# it uses; they are exported under a version of their own, SUSTAIN_PRIVATE, which no outside
# program links against by accident (cmake/sustain.map).

function(add_public_library name description)
    cmake_parse_arguments(given "" "" "MODULES;USES;LIBRARIES;INCLUDES;DEFINITIONS" ${ARGN})
    set(target ${name}${suffix})
    foreach(module ${given_MODULES})
        file(GLOB module_sources CONFIGURE_DEPENDS src/${module}/*.c)
        list(APPEND sources ${module_sources})
    endforeach()
    list(FILTER sources EXCLUDE REGEX "/(core/serial|io/no_files)\\.c$") # in place of parallel.c and file.c in libsustain-device.a
    # What this build has no use for: a file of which nothing is left is not C.
    if(NOT winograd_definition)
        list(FILTER sources EXCLUDE REGEX ${winograd_sources})
    endif()
    if(NOT avx2_definition)
        list(FILTER sources EXCLUDE REGEX "_avx2\\.c$")
    endif()
    if(NOT neon_definition)
        list(FILTER sources EXCLUDE REGEX "_neon\\.c$")
    endif()
    if(NOT onednn_libraries)
        list(FILTER sources EXCLUDE REGEX "/nn/layers_onednn\\.c$")
    endif()

    # What is computed with numbers teaches a fuzzer nothing, and a trace of its comparisons takes
    # most of the time.
    if(SUSTAIN_FUZZ)
        set(numeric ${sources})
        list(FILTER numeric INCLUDE REGEX "/(hypergrad|nn|oracle|problems|theory|wrap)/|/core/(eigen|exp|hash|kernels|logistic|newton|random|vector)")
        set_property(SOURCE ${numeric} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize-coverage=trace-cmp)
    endif()

    set(below ${given_USES})
    list(TRANSFORM below APPEND "${suffix}")
    add_library(${target}-objects OBJECT ${sources})
    target_include_directories(${target}-objects PRIVATE include src ${given_INCLUDES})
    target_compile_definitions(${target}-objects PRIVATE ${avx2_definition} ${neon_definition} ${winograd_definition} ${given_DEFINITIONS} $<$<BOOL:${SUSTAIN_DOUBLE}>:SUSTAIN_DOUBLE>)
    set_target_properties(${target}-objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

    add_library(${target} SHARED $<TARGET_OBJECTS:${target}-objects>)
    add_library(${target}-static STATIC $<TARGET_OBJECTS:${target}-objects>)
    list(TRANSFORM below APPEND -static OUTPUT_VARIABLE below_static)
    target_link_libraries(${target} PUBLIC ${below})
    target_link_libraries(${target}-static PUBLIC ${below_static})
    foreach(library ${target} ${target}-static)
        add_library(sustain::${library} ALIAS ${library})
        set_target_properties(${library} PROPERTIES OUTPUT_NAME ${target} LINKER_LANGUAGE C)
        target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_compile_definitions(${library} INTERFACE $<$<BOOL:${SUSTAIN_DOUBLE}>:SUSTAIN_DOUBLE>)
        target_link_libraries(${library} PRIVATE ${given_LIBRARIES} m Threads::Threads)
    endforeach()
    # Before 1.0 structures that callers allocate may change with each minor version, and so does
    # the soname.
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(NOT APPLE)
        target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/sustain.map)
        set_target_properties(${target} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sustain.map)
    endif()
    install(TARGETS ${target} ${target}-static EXPORT sustain${suffix}-targets)

    set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    file(RELATIVE_PATH pc_to_prefix /prefix/${pc_dir} /prefix)
    list(JOIN below " " pc_requires)
    list(TRANSFORM given_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE pc_libraries)
    list(APPEND pc_libraries -lm -pthread)
    list(JOIN pc_libraries " " pc_libraries)
    set(pc_name ${target})
    set(pc_description ${description})
    if(SUSTAIN_DOUBLE)
        set(pc_definition " -DSUSTAIN_DOUBLE")
    endif()
    configure_file(sustain.pc.in ${target}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${target}.pc DESTINATION ${pc_dir})
endfunction()

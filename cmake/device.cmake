# device.cmake - libsustain-device.a: a trained few-shot model at work (fewshot.h) and nothing else.
# Kernels of our own, no threads; libm is all it needs.
#
# Built with the rest, in float. -DSUSTAIN_DEVICE_ONLY=ON builds it alone, and then looks for no
# package: for a device, with a toolchain file.

set(device_sources
    src/core/context.c src/core/decimal.c src/core/exp.c src/core/hash.c src/core/linear_loss.c src/core/newton_double.c src/core/pages.c src/core/random.c
    src/core/random_avx2.c src/core/serial.c src/core/vector.c
    src/io/byte_order.c src/io/file.c src/io/json_text.c src/io/safetensors.c src/io/safetensors_header.c
    src/nn/net.c src/nn/backbone.c src/nn/backbone_create.c src/nn/layers_plain.c src/nn/correlate.c src/nn/correlate_avx2.c
    src/nn/layers_winograd.c src/nn/winograd.c src/nn/direct.c src/nn/product.c src/nn/blocked.c src/nn/blocked_passes.c
    src/meta/head.c src/meta/head_solve.c src/meta/linear.c src/meta/fewshot_model.c src/meta/fewshot.c src/meta/fewshot_create.c)
if(NOT avx2_definition)
    list(FILTER device_sources EXCLUDE REGEX "_avx2\\.c$")
endif()
if(NOT winograd_definition)
    list(FILTER device_sources EXCLUDE REGEX ${winograd_sources})
endif()

if(CMAKE_SYSTEM_NAME STREQUAL "Generic") # no operating system, no files
    list(TRANSFORM device_sources REPLACE "src/io/file\\.c" src/io/no_files.c)
endif()

add_library(sustain-device STATIC ${device_sources})
add_library(sustain::sustain-device ALIAS sustain-device)
target_include_directories(sustain-device PRIVATE src PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(sustain-device PRIVATE ${avx2_definition} ${winograd_definition})
target_compile_options(sustain-device PRIVATE -ffunction-sections -fdata-sections) # a program links what it calls: -Wl,--gc-sections
target_link_libraries(sustain-device PUBLIC m)
install(TARGETS sustain-device EXPORT sustain-targets)
if(SUSTAIN_DEVICE_ONLY)
    install(FILES include/sustain/context.h include/sustain/fewshot.h include/sustain/status.h include/sustain/version.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sustain)
endif()

# How a module becomes a library.
#
# scent_module(NAME LAYER DEPS … PKGS … LIBS … INCLUDES …)
#   DEPS      modules of lower layers, or siblings of the same layer; include "dep/…" is allowed for these alone
#   PKGS      pkg-config names of the libraries it wraps
#   LIBS      libraries without a pkg-config file
#   INCLUDES  the third-party headers that this module alone may include (prefixes)
# tests/house/check_layers reads the same calls and holds the sources to them.

find_package(PkgConfig REQUIRED)

add_library(scent_options INTERFACE)
target_include_directories(scent_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(scent_options INTERFACE _GNU_SOURCE SCENT_VERSION="${PROJECT_VERSION}")
target_compile_options(scent_options INTERFACE
    -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
    -Wwrite-strings -Wvla -Wformat=2 -Wundef -fno-strict-aliasing -fstack-protector-strong
    # All of it may become a part of libscent; without interposition that costs no inlining.
    -fPIC -fno-semantic-interposition)
if(SCENT_SANITIZE)
    target_compile_options(scent_options INTERFACE
        -fsanitize=${SCENT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        # Enough for the lines of a stack trace; the rest costs a sixth of the compiler's time.
        -g1)
    target_link_options(scent_options INTERFACE -fsanitize=${SCENT_SANITIZE})
endif()
if(SCENT_FUZZ)
    target_compile_options(scent_options INTERFACE -fsanitize=fuzzer-no-link)
    target_compile_definitions(scent_options INTERFACE SCENT_FUZZING)
endif()

function(scent_module name layer)
    cmake_parse_arguments(M "" "" "DEPS;PKGS;LIBS;INCLUDES" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
    list(FILTER sources EXCLUDE REGEX "/main\\.c$")
    if(NOT sources)
        return()
    endif()
    add_library(scent_${name} STATIC ${sources})
    target_link_libraries(scent_${name} PUBLIC scent_options)
    foreach(dep ${M_DEPS})
        target_link_libraries(scent_${name} PUBLIC scent_${dep})
    endforeach()
    foreach(pkg ${M_PKGS})
        if(NOT TARGET PkgConfig::${pkg})
            pkg_check_modules(${pkg} REQUIRED IMPORTED_TARGET GLOBAL ${pkg})
        endif()
        target_link_libraries(scent_${name} PUBLIC PkgConfig::${pkg})
    endforeach()
    target_link_libraries(scent_${name} PUBLIC ${M_LIBS})
endfunction()

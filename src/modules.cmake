# The map of the house: module, layer, what it may use. See ARCHITECTURE.md.
# Unless INCLUDES says otherwise a module includes no third-party header.

find_package(Threads REQUIRED)

scent_module(base 0 PKGS libxxhash LIBS Threads::Threads m INCLUDES xxhash.h)

scent_module(conf  1 DEPS base PKGS yaml-0.1 INCLUDES yaml.h)
scent_module(json  1 DEPS base PKGS jansson INCLUDES jansson.h)
scent_module(http  1 DEPS base PKGS zlib libdeflate libbrotlidec libzstd
             INCLUDES zlib.h libdeflate.h brotli/ zstd.h zdict.h)
scent_module(url   1 DEPS base PKGS libidn2 libpsl INCLUDES idn2.h libpsl.h)
scent_module(text  1 DEPS base PKGS libutf8proc LIBS stemmer exttextcat-2.0
             INCLUDES utf8proc.h libstemmer.h libexttextcat/)
# The counts that background.c embeds; a change of them compiles it anew.
file(GLOB backgrounds CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/background/*.txt)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/text/background.c PROPERTIES OBJECT_DEPENDS "${backgrounds}"
                            COMPILE_DEFINITIONS SCENT_BACKGROUND="${CMAKE_SOURCE_DIR}/data/background")
scent_module(learn 1 DEPS base text PKGS lapacke LIBS linear INCLUDES linear.h lapacke.h)
# Its loops over a row of weights are most of a training; sqrtf() becomes a vector instruction when it need not set errno.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/learn/mlp.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno")
# Projecting a page and finding its neighbours: loops over rows of numbers, for every page of a crawl.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/learn/lsi.c ${CMAKE_SOURCE_DIR}/src/learn/clustering.c
                            PROPERTIES COMPILE_OPTIONS "-O3")
scent_module(store 1 DEPS base text PKGS sqlite3 INCLUDES sqlite3.h)

scent_module(warc     2 DEPS base http url PKGS libcrypto INCLUDES openssl/)
scent_module(page     2 DEPS base http url text PKGS uchardet INCLUDES uchardet/)
scent_module(pdf      2 DEPS base page PKGS libseccomp INCLUDES seccomp.h linux/)
scent_module(fetch    2 DEPS base url http PKGS libcurl libcares INCLUDES curl/ ares.h)
scent_module(robots   2 DEPS base http url page)
scent_module(frontier 2 DEPS base)
# libpq is loaded when somebody joins a crawl of many machines (pq.c): only its header is needed here.
scent_module(cluster  2 DEPS base http url INCLUDES libpq-fe.h)
pkg_check_modules(libpq REQUIRED libpq)
target_include_directories(scent_cluster PRIVATE ${libpq_INCLUDE_DIRS})
scent_module(trace    2 DEPS base text json http url learn store warc page)

scent_module(plugin   2 DEPS base page LIBS ${CMAKE_DL_LIBS} INCLUDES scent_plugin.h)

scent_module(topic 3 DEPS base conf json text url learn page plugin trace PKGS libpcre2-8 INCLUDES pcre2.h)
scent_module(training 3 DEPS base text url http warc page pdf learn topic)
scent_module(web   3 DEPS base conf http url warc)

scent_module(strategy 4 DEPS base conf learn page plugin topic trace)
# One step for every page: loops over the rows of a matrix.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/strategy/posterior.c PROPERTIES COMPILE_OPTIONS "-O3")
# The priors that prior.c embeds.
file(GLOB priors CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/priors/*.txt)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/strategy/prior.c PROPERTIES OBJECT_DEPENDS "${priors}"
                            COMPILE_DEFINITIONS SCENT_PRIORS="${CMAKE_SOURCE_DIR}/data/priors")
scent_module(crawldir 5 DEPS base json http url pdf page robots warc frontier store topic strategy)
scent_module(engine   5 DEPS base conf json http url cluster pdf page robots warc fetch frontier learn store topic training web strategy crawldir)
scent_module(lab      6 DEPS base conf json http url learn warc page frontier trace topic training web strategy engine)
scent_module(export   6 DEPS base json http url page warc frontier store crawldir engine)
scent_module(search   6 DEPS base text url store crawldir)
# The page that page_files.c embeds; a change of it compiles that anew.
file(GLOB page_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/serve/page/*)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/serve/page_files.c PROPERTIES
                            OBJECT_DEPENDS "${page_files};${CMAKE_SOURCE_DIR}/docs/openapi.json"
                            COMPILE_DEFINITIONS "SCENT_PAGE=\"${CMAKE_SOURCE_DIR}/src/serve/page\";SCENT_OPENAPI=\"${CMAKE_SOURCE_DIR}/docs/openapi.json\"")
scent_module(serve    6 DEPS base json http url text trace page warc store web crawldir search PKGS libmicrohttpd INCLUDES microhttpd.h)
scent_module(app      7 DEPS base conf json http url cluster pdf plugin learn page warc fetch frontier store topic training web strategy crawldir engine lab export search serve trace)
# libscent (CMakeLists.txt)
scent_module(lib      8 DEPS base url plugin topic training strategy crawldir app INCLUDES scent.h)

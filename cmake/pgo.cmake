# TC_PGO=ON: the compiler lays the library and the program out by a profile of runs. What makes the
# profile is a build of its own, in BUILD/pgo, which reads generated traces (pgo_train.cmake). It is made
# again when a source changes. docs/performance.md has what it gives on real traces.
option(TC_PGO "Build by a profile of runs on generated traces, which takes twice as long" OFF)
if(NOT TC_PGO)
	return()
endif()

include(CheckCCompilerFlag)
check_c_compiler_flag(-fprofile-prefix-path=/ TC_HAVE_PROFILE_PREFIX)
if(NOT TC_HAVE_PROFILE_PREFIX OR CMAKE_CROSSCOMPILING OR TC_SANITIZE)
	message(FATAL_ERROR "TC_PGO needs GCC 12 or later, on the machine that it builds for, and no sanitizer")
endif()

set(pgo_build ${PROJECT_BINARY_DIR}/pgo)
set(pgo_profile ${pgo_build}/profile)
# Threads count at once, and names of profiles are those of the objects in their build.
set(pgo_flags "-fprofile-generate=${pgo_profile} -fprofile-update=prefer-atomic")
set(pgo_flags "${CMAKE_C_FLAGS} ${pgo_flags} -fprofile-prefix-path=${pgo_build}")
file(GLOB_RECURSE pgo_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*.[chs]*
	${PROJECT_SOURCE_DIR}/cmd/*.[ch] ${PROJECT_SOURCE_DIR}/heuristics/*.sql
	${PROJECT_SOURCE_DIR}/sections/*.sql)
add_custom_command(OUTPUT ${pgo_build}/trained
	COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${pgo_build} -G ${CMAKE_GENERATOR}
		-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
		-DCMAKE_C_FLAGS=${pgo_flags} -DTC_USE_ISAL=${TC_USE_ISAL}
		-DTC_USE_SECCOMP=${TC_USE_SECCOMP} -DBUILD_TESTING=OFF
	COMMAND ${CMAKE_COMMAND} --build ${pgo_build} --target tracecoach-cmd tracegen --parallel 2
	COMMAND ${CMAKE_COMMAND} -DBUILD=${pgo_build} -DPROFILE=${pgo_profile}
		-P ${PROJECT_SOURCE_DIR}/cmake/pgo_train.cmake
	COMMAND ${CMAKE_COMMAND} -E touch ${pgo_build}/trained
	DEPENDS ${pgo_sources} ${PROJECT_SOURCE_DIR}/cmake/pgo_train.cmake
	COMMENT "Making a profile of runs on generated traces" VERBATIM)
add_custom_target(pgo_profile DEPENDS ${pgo_build}/trained)

foreach(target tc_objects tracecoach-cmd)
	add_dependencies(${target} pgo_profile)
	# What no run came through is compiled as without a profile.
	target_compile_options(${target} PRIVATE -fprofile-use=${pgo_profile}
		-fprofile-partial-training -fprofile-prefix-path=${PROJECT_BINARY_DIR}
		-Wno-missing-profile -Wno-maybe-uninitialized)
endforeach()

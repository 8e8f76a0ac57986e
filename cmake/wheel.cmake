# What a wheel for Python contains besides the package: the library and the program, which ask for no other
# library than the C library's. setup.py builds these two targets with -DTC_USE_ISAL=OFF, because ISA-L is an
# archive in few distributions.
#   cmake -S . -B build/wheel -DCMAKE_BUILD_TYPE=Release -DTC_WHEEL=ON -DTC_USE_ISAL=OFF && make -C build/wheel wheel
option(TC_WHEEL "Make the library and the program of a wheel, with the target wheel" OFF)
if(NOT TC_WHEEL)
	return()
endif()

# tc_archive(<variable> <name>...): the archive of a library. Debian calls that of yajl yajl_s.
function(tc_archive variable)
	list(TRANSFORM ARGN PREPEND lib OUTPUT_VARIABLE names)
	list(TRANSFORM names APPEND .a)
	find_library(TC_ARCHIVE_${variable} NAMES ${names})
	if(NOT TC_ARCHIVE_${variable})
		message(FATAL_ERROR "a wheel needs the archive of ${variable}: ${names}")
	endif()
	set(TC_ARCHIVES ${TC_ARCHIVES} ${TC_ARCHIVE_${variable}} PARENT_SCOPE)
endfunction()

set(TC_ARCHIVES "")
tc_archive(yajl yajl_s yajl)
tc_archive(sqlite sqlite3)
tc_archive(zlib z)
tc_archive(zstd zstd)
tc_archive(inih inih)
if(SECCOMP_FOUND)
	tc_archive(seccomp seccomp)
endif()
if(TARGET tc_csv)
	tc_archive(csv csv)
endif()
set(library_archives ${TC_ARCHIVES})
tc_archive(popt popt)

# Names of the archives stay inside: a Python has an SQLite and a zlib of its own.
add_library(tracecoach-wheel SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:tc_objects>)
target_link_libraries(tracecoach-wheel PRIVATE ${library_archives} Threads::Threads m ${CMAKE_DL_LIBS})
target_link_options(tracecoach-wheel PRIVATE ${TC_LTO} -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,-z,relro,-z,now)
add_executable(tracecoach-wheel-cmd EXCLUDE_FROM_ALL ${TC_CMD_SOURCES_OF_ALL} $<TARGET_OBJECTS:tc_objects>)
target_include_directories(tracecoach-wheel-cmd PRIVATE ${PROJECT_SOURCE_DIR}/cmd ${PROJECT_SOURCE_DIR}/include
	${TC_GENERATED_INCLUDE_DIR} ${PROJECT_BINARY_DIR})
target_link_libraries(tracecoach-wheel-cmd PRIVATE ${TC_ARCHIVES} Threads::Threads m ${CMAKE_DL_LIBS} tc_flags)
target_link_options(tracecoach-wheel-cmd PRIVATE ${TC_LTO})
foreach(target tracecoach-wheel tracecoach-wheel-cmd)
	set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C SKIP_BUILD_RPATH ON
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/native
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/native OUTPUT_NAME tracecoach)
endforeach()
set_target_properties(tracecoach-wheel PROPERTIES NO_SONAME OFF
	SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_custom_target(wheel DEPENDS tracecoach-wheel tracecoach-wheel-cmd)

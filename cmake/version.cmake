# Makes tracecoach/version.h. The version of tracecoach stands in project(); that of a form of output
# stands where the form is described, and nowhere else.

# tc_read_version(<variable> <file> <regular expression with the number in parentheses>)
function(tc_read_version variable file pattern)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
	file(STRINGS ${PROJECT_SOURCE_DIR}/${file} line REGEX "${pattern}" LIMIT_COUNT 1)
	if(NOT line MATCHES "${pattern}")
		message(FATAL_ERROR "${file} has no line that matches ${pattern}: its version stands there")
	endif()
	set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

tc_read_version(TC_STORE_VERSION lib/store/schema/head.sql "^-- Version ([0-9]+) of the public schema")
tc_read_version(TC_INDEX_VERSION lib/fleet/index.sql "^-- Version ([0-9]+) of the public schema")
set(schema_version "\"schema_version\": {\"const\": ([0-9]+)}")
tc_read_version(TC_REPORT_VERSION docs/report.schema.json "${schema_version}")
tc_read_version(TC_SUMMARY_VERSION docs/summary.schema.json "${schema_version}")
tc_read_version(TC_COMPARE_VERSION docs/compare.schema.json "${schema_version}")
tc_read_version(TC_WHATIF_VERSION docs/whatif.schema.json "${schema_version}")
tc_read_version(TC_FLEET_VERSION docs/fleet.schema.json "${schema_version}")
set(TC_GENERATED_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in
	${TC_GENERATED_INCLUDE_DIR}/tracecoach/version.h @ONLY)

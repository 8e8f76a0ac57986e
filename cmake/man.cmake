# The man page, made and installed where scdoc is there (see dependencies.cmake).
if(SCDOC)
	set(page ${PROJECT_BINARY_DIR}/tracecoach.1)
	set(page_source ${PROJECT_SOURCE_DIR}/docs/man/tracecoach.1.scd)
	add_custom_command(OUTPUT ${page} COMMAND sh -c "\"${SCDOC}\" <\"${page_source}\" >\"${page}\""
		DEPENDS ${page_source} VERBATIM)
	add_custom_target(man ALL DEPENDS ${page})
	install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

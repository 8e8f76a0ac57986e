# tc_embed(<target> <symbol> <file>): compiles a text file into the target as
# "const char <symbol>[]", so that SQL stays SQL and is edited as such.
function(tc_embed target symbol file)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.c)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUT=${out}
			-DSYMBOL=${symbol} -P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
		DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake VERBATIM)
	target_sources(${target} PRIVATE ${out})
endfunction()

# tc_embed_files(<target> <symbol> <directory> <ending>): compiles all text files of a directory with
# that ending into the target, as the table <symbol> of struct tc_embedded.
function(tc_embed_files target symbol directory ending)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.c)
	file(GLOB files CONFIGURE_DEPENDS ${directory}/*${ending})
	# A file that goes away changes the list, and nothing else that the command depends on.
	file(CONFIGURE OUTPUT ${out}.list CONTENT "${files}\n")
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DIN=${directory} -DENDING=${ending} -DOUT=${out}
			-DSYMBOL=${symbol} -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
		DEPENDS ${files} ${out}.list ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
	target_sources(${target} PRIVATE ${out})
endfunction()

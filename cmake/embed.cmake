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

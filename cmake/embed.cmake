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

# tc_ordered_files(<list> <directory> <ending>): sets the list to the files of a directory with that
# ending, as its file "order" lists their names. A file that is not listed ends the configuration.
function(tc_ordered_files list directory ending)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${directory}/order)
	file(STRINGS ${directory}/order files REGEX "^[^#]")
	list(TRANSFORM files PREPEND ${directory}/)
	list(TRANSFORM files APPEND ${ending})
	file(GLOB found CONFIGURE_DEPENDS ${directory}/*${ending})
	list(REMOVE_ITEM found ${files})
	if(found)
		message(FATAL_ERROR "${directory}/order does not list ${found}: add the name, without ${ending}")
	endif()
	set(${list} ${files} PARENT_SCOPE)
endfunction()

# tc_embed_ordered(<target> <symbol> <directory>): the same for the .sql files of a directory, one
# behind the other as the file "order" there lists them, with an empty line between.
function(tc_embed_ordered target symbol directory)
	set(directory ${CMAKE_CURRENT_SOURCE_DIR}/${directory})
	set(out ${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.c)
	tc_ordered_files(files ${directory} .sql)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} "-DIN=${files}" -DOUT=${out} -DSYMBOL=${symbol}
			-P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
		DEPENDS ${files} ${directory}/order ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake VERBATIM)
	target_sources(${target} PRIVATE ${out})
endfunction()

# tc_embed_page(<target> <symbol> <directory>): the same for the HTML page report.html of a directory,
# with its style report.css and the scripts *.js put in, in the order that the file "order" there lists
# them, and the hashes of both, without which a browser does not run them.
function(tc_embed_page target symbol directory)
	set(directory ${CMAKE_CURRENT_SOURCE_DIR}/${directory})
	set(out ${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.c)
	tc_ordered_files(scripts ${directory} .js)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DPAGE=${directory} "-DSCRIPTS=${scripts}" -DOUT=${out}.html
			-P ${PROJECT_SOURCE_DIR}/cmake/join_page.cmake
		COMMAND ${CMAKE_COMMAND} -DIN=${out}.html -DOUT=${out} -DSYMBOL=${symbol}
			-P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
		DEPENDS ${scripts} ${directory}/order ${directory}/report.html ${directory}/report.css
			${PROJECT_SOURCE_DIR}/cmake/join_page.cmake VERBATIM)
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

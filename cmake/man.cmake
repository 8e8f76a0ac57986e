# What a shell and man know of the commands: a manual page and completions, printed by the program
# itself from its tables (help --format), and the pages tracecoach(1) and tracegen(1), where scdoc is there.
file(STRINGS ${PROJECT_SOURCE_DIR}/cmd/commands.def rows REGEX "^TC_COMMAND\\(")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmd/commands.def)
set(outputs "")

# tc_printed(<file> <arguments of help...>): the file is what the program prints.
function(tc_printed file)
	list(JOIN ARGN " " words)
	add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${file}
		COMMAND sh -c "file=\"$1\" && shift && \"$@\" help ${words} >\"$file\"" sh
			${PROJECT_BINARY_DIR}/${file} ${CMAKE_CROSSCOMPILING_EMULATOR}
			$<TARGET_FILE:tracecoach-cmd>
		DEPENDS tracecoach-cmd VERBATIM)
	set(outputs ${outputs} ${PROJECT_BINARY_DIR}/${file} PARENT_SCOPE)
endfunction()

foreach(row ${rows})
	string(REGEX REPLACE "^TC_COMMAND\\(([a-z]+),.*" "\\1" command "${row}")
	tc_printed(tracecoach-${command}.1 --format man ${command})
endforeach()
foreach(name tracecoach tracegen)
	if(SCDOC)
		set(page ${PROJECT_BINARY_DIR}/${name}.1)
		set(source ${PROJECT_SOURCE_DIR}/docs/man/${name}.1.scd)
		add_custom_command(OUTPUT ${page} COMMAND sh -c "\"${SCDOC}\" <\"${source}\" >\"${page}\""
			DEPENDS ${source} VERBATIM)
		list(APPEND outputs ${page})
	endif()
endforeach()
install(FILES ${outputs} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

tc_printed(completions/tracecoach --format bash)
tc_printed(completions/_tracecoach --format zsh)
tc_printed(completions/tracecoach.fish --format fish)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completions)
install(FILES ${PROJECT_BINARY_DIR}/completions/tracecoach
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/completions/_tracecoach
	DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/completions/tracecoach.fish
	DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
add_custom_target(man ALL DEPENDS ${outputs})

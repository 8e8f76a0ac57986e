# Gives what was installed for a .deb the form that Debian asks for: compressed manual pages, and
# copyright and changelog under the names where dpkg looks for them.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/share/man/*.1)
file(GLOB_RECURSE docs ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/share/doc/tracecoach/CHANGELOG.md)
foreach(log ${docs})
	get_filename_component(directory ${log} DIRECTORY)
	file(RENAME ${log} ${directory}/changelog)
	file(RENAME ${directory}/LICENSE ${directory}/copyright)
	list(APPEND pages ${directory}/changelog)
endforeach()
foreach(page ${pages})
	execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

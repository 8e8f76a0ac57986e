# A release build optimises the program and the shared library as a whole, at their link: TC_LTO are
# the options for it. docs/performance.md has what it gives. Clang puts machine code beside what the
# link needs only from version 17 on, so this is for GCC.
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_OBJCOPY AND NOT TC_SANITIZE)
	set(TC_LTO $<$<CONFIG:Release>:-flto=auto> $<$<CONFIG:Release>:-ffat-lto-objects>)
endif()

# Leaves machine code alone in an archive: what the link needs suits one version of one compiler, and
# tests that link the archive stay quick.
function(tc_strip_lto archive)
	if(TC_LTO)
		add_custom_command(TARGET ${archive} POST_BUILD COMMAND ${CMAKE_OBJCOPY} --wildcard
			--remove-section=.gnu.lto_* $<TARGET_FILE:${archive}> VERBATIM)
	endif()
endfunction()

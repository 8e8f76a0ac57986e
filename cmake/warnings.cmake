# The interface target every target of ours links: language, warnings, sanitizers.
add_library(tc_flags INTERFACE)
target_compile_definitions(tc_flags INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_compile_options(tc_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
	-Wcast-qual -Wmissing-prototypes -fno-common)
if(TC_WERROR)
	target_compile_options(tc_flags INTERFACE -Werror)
endif()
if(TC_SANITIZE)
	target_compile_options(tc_flags INTERFACE -fsanitize=${TC_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all)
	target_link_options(tc_flags INTERFACE -fsanitize=${TC_SANITIZE})
	target_compile_definitions(tc_flags INTERFACE TC_SANITIZED=1)
endif()

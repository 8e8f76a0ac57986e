# Release builds are hardened: checked calls of the C library (_FORTIFY_SOURCE), guarded stacks,
# programs at random addresses (PIE), and tables of the linker that are read-only from the start
# (full RELRO). What the compiler or linker does not know is left out; tests/cli/test-hardening.sh
# reads the result. The packager's own level of _FORTIFY_SOURCE stays.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

set(TC_RELEASE "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
check_c_compiler_flag(-fstack-protector-strong TC_HAVE_STACK_PROTECTOR)
if(TC_HAVE_STACK_PROTECTOR)
	target_compile_options(tc_flags INTERFACE $<${TC_RELEASE}:-fstack-protector-strong>)
endif()
# The checked calls hide from the sanitizers what these would find.
if(NOT TC_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
	target_compile_options(tc_flags INTERFACE
		$<${TC_RELEASE}:-U_FORTIFY_SOURCE> $<${TC_RELEASE}:-D_FORTIFY_SOURCE=2>)
endif()
# Where the linker cannot make such programs, they are made without.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_linker_flag(C -Wl,-z,relro,-z,now TC_HAVE_RELRO)
if(TC_HAVE_RELRO)
	target_link_options(tc_flags INTERFACE $<${TC_RELEASE}:-Wl,-z,relro,-z,now>)
	# What is bound at the start needs no stubs, which pays for the guarded stacks.
	check_c_compiler_flag(-fno-plt TC_HAVE_NO_PLT)
	if(TC_HAVE_NO_PLT)
		target_compile_options(tc_flags INTERFACE $<${TC_RELEASE}:-fno-plt>)
	endif()
endif()

# The runs that TC_PGO=ON learns from, of the build BUILD, whose counts go to PROFILE: traces of all three
# kinds, with and without steps that go wrong, from the file to a store and to a report. A confined program
# could not write its counts.
set(ENV{TRACECOACH_UNCONFINED} 1)

function(run)
	execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${BUILD} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PROFILE})
foreach(format gaudi-lazy gaudi-kineto cuda)
	run(${BUILD}/tracegen --format ${format} --bytes 8000000 -o trained.json)
	run(${BUILD}/tracecoach import -q trained.json -o trained.db)
	run(${BUILD}/tracecoach analyze trained.db)
	run(${BUILD}/tracegen --format ${format} --steps 40 --nodes 20 --problem device-sync
		--problem dataloader -o trained.json)
	run(${BUILD}/tracecoach analyze trained.json)
	file(REMOVE ${BUILD}/trained.json ${BUILD}/trained.db)
endforeach()

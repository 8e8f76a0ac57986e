-- Version 7 of the public schema of an index: what a batch keeps of many traces, in one SQLite file.
-- One line of comment per column: unit or domain, then meaning; docs/index-schema.md is generated
-- from this file. Rows are in one order, that of paths, and ids follow it, so the same traces give
-- the same rows however many processes, shards or runs it took. Tables first, views after.

-- How the index was made; one row.
CREATE TABLE batch (
	program_version TEXT NOT NULL, -- version of tracecoach that read the traces
	settings_hash INTEGER NOT NULL, -- hash of heuristics, rules, thresholds and how traces are read: indexes with the same hash and program_version say the same about the same trace
	root TEXT NOT NULL, -- directory that paths are relative to, as it was named
	shard INTEGER, -- number of the shard, from 0; NULL for an index of all jobs
	shard_count INTEGER -- shards of the batch; NULL for an index of all jobs
) STRICT;

-- Metrics by number; docs/metrics.md says what they mean.
CREATE TABLE metric (
	id INTEGER PRIMARY KEY, -- metric number
	name TEXT NOT NULL, -- such as device_busy_ns
	unit TEXT NOT NULL -- ns, bytes, count, pct or ratio
) STRICT;

-- Heuristics by number: those of the program, then the user's rules.
CREATE TABLE heuristic (
	id INTEGER PRIMARY KEY, -- heuristic number
	name TEXT NOT NULL, -- its id, such as dataloader-bound
	kind TEXT NOT NULL, -- fix, or quality for what is wrong with the trace itself
	title TEXT NOT NULL, -- the defect, in one line
	advice TEXT NOT NULL -- what to do
) STRICT;

-- A job: the traces of one directory, or of one run where a directory has several.
CREATE TABLE job (
	id INTEGER PRIMARY KEY, -- job number, from 0 in the order of path
	path TEXT NOT NULL UNIQUE, -- directory below batch.root, "." for the root itself; where a directory has several runs, with a colon and the name of the run behind it
	state TEXT NOT NULL, -- done: at least one trace was read; failed: none was
	reason TEXT, -- why it failed, where that is not the fault of one trace; NULL elsewhere
	pace_trace_id INTEGER, -- trace.id of the trace that stands for the job: the rank that sets the pace (docs/ranks.md); without ranks the one with the longest mean step, else the longest wall time; NULL when none was read
	owner TEXT, -- whose it is, as a job.ini beside or above its traces says, or the options of the batch; NULL, as the next two, when nobody said
	revision TEXT, -- commit of the code that ran
	price REAL -- of a device hour, in whatever money the job.ini counts
) STRICT;

-- A file that is called like a trace.
CREATE TABLE trace (
	id INTEGER PRIMARY KEY, -- trace number, from 0 in the order of job and path
	job_id INTEGER NOT NULL, -- job.id
	path TEXT NOT NULL, -- below batch.root
	size_bytes INTEGER NOT NULL, -- bytes: size of the file; 0 when it is not there
	mtime_ns INTEGER NOT NULL, -- ns since 1970: when the file was changed last
	content_hash INTEGER NOT NULL, -- XXH64 of its bytes; 0 when it is not done
	side_hash INTEGER NOT NULL, -- hash of names, sizes and times of the side files beside it; 0 without any
	state TEXT NOT NULL, -- done; failed: it cannot be used; stopped: reading it was ended by a signal, a limit or the machine, and the next run tries again
	reason TEXT, -- why it is not done; NULL when it is
	format TEXT, -- as in a store's trace; NULL when it is not done, and so below
	vendor TEXT, -- gaudi, cuda, rocm and others; NULL when no device work tells
	device_name TEXT, -- name of the first device; NULL when the file does not say
	rank INTEGER, -- rank in the job; NULL when the file does not say
	world_size INTEGER, -- ranks in the job; NULL when the file does not say
	group_trace_id INTEGER, -- lowest trace.id of the ranks that were recorded together; NULL when it is none of several ranks
	start_ns INTEGER, -- ns: start of the first slice, on the clock of the file (base time added); NULL without slices
	end_ns INTEGER, -- ns: end of the last slice, on the same clock
	event_count INTEGER, -- events decoded
	read_bytes INTEGER, -- bytes: size of the decompressed input
	metric_set_id INTEGER, -- metric_set.id: which metrics it has
	is_judged INTEGER, -- 1: it shows enough of its run for a verdict; 0: its times stand for no run; NULL when it is not done
	blind_count INTEGER, -- heuristics that could not run: the trace lacks the data they need
	fault_count INTEGER -- heuristics that failed
) STRICT;

CREATE INDEX trace_by_job ON trace(job_id);

-- Which metrics traces have, so that one that is 0 and one that is not known differ although
-- run_metric has neither. Many traces share a set.
CREATE TABLE metric_set (
	id INTEGER NOT NULL, -- number of the set, from 0
	metric_id INTEGER NOT NULL, -- metric.id
	PRIMARY KEY (id, metric_id)
) WITHOUT ROWID, STRICT;

-- Metrics of a whole trace, all devices together, that are not 0; read them through trace_metric.
CREATE TABLE run_metric (
	trace_id INTEGER NOT NULL, -- trace.id
	metric_id INTEGER NOT NULL, -- metric.id
	value ANY NOT NULL, -- integer for ns, bytes and counts; real for ratios and percentages
	PRIMARY KEY (trace_id, metric_id)
) WITHOUT ROWID, STRICT;

-- Advice: what was found in a trace, ranked.
CREATE TABLE finding (
	trace_id INTEGER NOT NULL, -- trace.id
	ord INTEGER NOT NULL, -- place in the ranking of the trace, from 1
	heuristic_id INTEGER NOT NULL, -- heuristic.id
	severity TEXT NOT NULL, -- high, medium, low or info
	confidence TEXT NOT NULL, -- measured, inferred or guessed
	gain_ns INTEGER, -- ns: wall time that a fix likely wins back; NULL when it has none
	gain_pct REAL, -- pct of the steady run, as the report of the trace has it; NULL without gain
	subject TEXT, -- what its first row of evidence is about: an operation, a step, a thread; cut after 100 bytes
	PRIMARY KEY (trace_id, ord)
) WITHOUT ROWID, STRICT;

-- What was lost or wrong when a trace was read.
CREATE TABLE import_log (
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- see docs/import-log.md
	severity TEXT NOT NULL, -- data_loss or error
	count INTEGER NOT NULL, -- occurrences, or bytes for the kinds that skip bytes
	message TEXT, -- what and where, of the first one
	PRIMARY KEY (trace_id, kind, severity)
) WITHOUT ROWID, STRICT;

-- What was found and could not be looked into, such as a directory that may not be read.
CREATE TABLE left_out (
	path TEXT PRIMARY KEY, -- below batch.root
	reason TEXT NOT NULL -- why
) WITHOUT ROWID, STRICT;

-- Metrics of a whole trace, zeros included. What is not known has no row.
CREATE VIEW trace_metric AS
SELECT t.id AS trace_id, -- trace.id
	m.name AS name, -- see docs/metrics.md
	coalesce(r.value, 0) AS value, -- integer for ns, bytes and counts; real for ratios and percentages
	m.unit AS unit -- ns, bytes, count, pct or ratio
FROM trace t
JOIN metric_set s ON s.id = t.metric_set_id
JOIN metric m ON m.id = s.metric_id
LEFT JOIN run_metric r ON r.trace_id = t.id AND r.metric_id = m.id;

-- Advice with its names.
CREATE VIEW trace_finding AS
SELECT f.trace_id AS trace_id, -- trace.id
	t.job_id AS job_id, -- job.id
	f.ord AS ord, -- place in the ranking of the trace, from 1
	h.name AS heuristic, -- id of the heuristic
	h.title AS title, -- the defect, in one line
	f.severity AS severity, -- high, medium, low or info
	f.confidence AS confidence, -- measured, inferred or guessed
	f.gain_ns AS gain_ns, -- ns: wall time that a fix likely wins back; NULL when it has none
	f.gain_pct AS gain_pct, -- pct of the steady run, as the report of the trace has it; NULL without gain
	f.subject AS subject -- what its first row of evidence is about; NULL when it says nothing
FROM finding f
JOIN trace t ON t.id = f.trace_id
JOIN heuristic h ON h.id = f.heuristic_id;

-- Where the time of each rank of a job goes beside that of the median rank: why a late rank is late.
-- Waiting in collectives is no part of it.
CREATE TABLE rank_time (
	trace_id INTEGER NOT NULL, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	part TEXT NOT NULL, -- compute (compute_busy_ns), copy (copy_exclusive_ns), or a cause of idle time (gap.cause) of the device that waits most
	ns INTEGER NOT NULL, -- ns: per step; of the whole recording without steps
	median_ns INTEGER NOT NULL, -- ns: the same of the median rank of the job
	PRIMARY KEY (trace_id, part)
) STRICT, WITHOUT ROWID;

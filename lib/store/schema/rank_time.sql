-- What each rank of a job does beside the median rank. Waiting for the device or in collectives is no part of it.
-- Why a late rank is late is in the view late_cause.
CREATE TABLE rank_time (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	part TEXT NOT NULL, -- compute (compute_busy_ns), copy (copy_exclusive_ns), what the host does, named as the cause of idle time (gap.cause) that it would be (host_*_own_ns), or idle: idle time of the device that waits most, where the host is to blame
	ns INTEGER NOT NULL, -- ns: per step; of the whole recording without steps
	median_ns INTEGER NOT NULL, -- ns: the same of the median rank of the job
	PRIMARY KEY (trace_id, part)
) STRICT, WITHOUT ROWID;

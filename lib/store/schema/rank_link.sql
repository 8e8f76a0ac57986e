-- How fast the links of each rank of a job move what those of other ranks move, too: collectives of a part of the world,
-- and sends, by what is moved and the ranks that take part. Only links are in it that can be compared: three or more of them
-- move as much, in the same way, between ranks that are as far apart. Which of them are slow is for slow-link to say.
CREATE TABLE rank_link (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	kind TEXT NOT NULL, -- communication.kind
	peers TEXT NOT NULL, -- JSON list of the ranks that take part, with this one
	bytes INTEGER NOT NULL, -- of one, as in communication.bytes
	group_size INTEGER, -- ranks of the group; NULL for sends
	node_count INTEGER, -- nodes that the ranks are on, where the numbers of their devices tell; NULL when not known
	count INTEGER NOT NULL, -- count: collectives, or sends in either direction
	transfer_ns INTEGER NOT NULL, -- ns: from the last arrival to the end, which is the shortest duration on the ranks; median
	least_ns INTEGER NOT NULL, -- ns: the shortest of them
	usual_ns INTEGER NOT NULL, -- ns: two thirds of the links that are compared take no longer, as their medians say
	link_count INTEGER NOT NULL, -- count: links that are compared
	extra_ns INTEGER NOT NULL -- ns: sum of what those of this rank take beyond usual_ns while its device computes nothing
) STRICT;

/* What a trace can show; see capability.h and docs/capabilities.md. */
#include "analysis/capability.h"

/* Facts from the device sweep. */
struct device_facts {
	int64_t op_count, launched_count, before_count;
	bool has_gaudi, has_mme, has_data_types, has_communication;
};

static struct device_facts device_facts_of(const struct tc_device_tally *devices)
{
	const struct tc_busy *all = tc_device_tally_all(devices);
	struct device_facts facts = {0};

	for (size_t i = 0; i < devices->ops.operations.count; i++) {
		const struct tc_op_total *total = devices->ops.operations.rows[i];
		facts.has_gaudi |= tc_engine_is_gaudi(total->engine);
		if (TC_WORK_OF(total->engine) & TC_WORK_COMMUNICATION)
			facts.has_communication = true;
		if (total->engine != TC_ENGINE_MME)
			continue;
		facts.has_mme = true;
		if (total->precision != TC_PRECISION_UNKNOWN)
			facts.has_data_types = true;
	}
	if (all) {
		facts.op_count = all->op_count;
		facts.launched_count = all->launched_count;
		facts.before_count = all->before_count;
	}
	return facts;
}

/* Whether a query with one parameter gives a row. */
static bool has_row(struct tc_tables *tables, const char *sql, int64_t parameter)
{
	const struct tc_sql_value value = tc_sql_int(parameter);
	int64_t found;

	return tc_tables_find(&found, tables, sql, &value);
}

/* PyTorch records whether record_shapes was on since 1.13. For older traces the args of operations
 * show it. */
static bool has_shapes(struct tc_tables *tables, const struct tc_survey *survey)
{
	bool found = has_row(tables,
		"SELECT 1 FROM trace_meta WHERE trace_id = ? AND key = 'record_shapes'"
		" AND value NOT IN ('0', 'false', 'null')",
		survey->timeline->trace_id);

	for (size_t i = 0; i < survey->sample_count && !found; i++)
		found = has_row(tables,
			"SELECT 1 FROM slice_args WHERE slice_id = ?"
			" AND instr(lower(coalesce(args, '')), '\"input dims\"') > 0",
			survey->samples[i]);
	return found;
}

static bool has_bridge(struct tc_tables *tables, const struct tc_survey *survey)
{
	for (size_t i = 0; i < survey->thread_count; i++)
		if (survey->threads[i].is_synapse)
			return true;
	return survey->has_bridge || has_row(tables,
					     "SELECT 1 FROM process WHERE trace_id = ?"
					     " AND name IN ('Bridge Logs', 'Synapse Logger')",
					     survey->timeline->trace_id);
}

/* The allocator numbers the devices that the process sees; device work has the numbers of the
 * machine. If there is one of each, they are the same device. */
static struct tc_text device_of_memory(sqlite3_stmt *row, const struct tc_timeline *timeline)
{
	if (sqlite3_column_int64(row, 3) == 1 && timeline->device_count == 1)
		return timeline->devices[0].name;
	return tc_sql_column_text(row, 0);
}

/* The writer for the rows of put_memory(). */
struct peaks {
	struct tc_metric_writer *writer;
	const struct tc_timeline *timeline;
};

static enum tc_status put_peaks(void *user, sqlite3_stmt *row)
{
	const struct peaks *peaks = user;
	struct tc_metric_scope scope = {device_of_memory(row, peaks->timeline), NULL};

	if (sqlite3_column_type(row, 1) != SQLITE_NULL)
		tc_metric_put(
			peaks->writer, TC_METRIC_MEMORY_PEAK, scope, sqlite3_column_int64(row, 1));
	if (sqlite3_column_type(row, 2) != SQLITE_NULL)
		tc_metric_put(peaks->writer, TC_METRIC_MEMORY_RESERVED_PEAK, scope,
			sqlite3_column_int64(row, 2));
	return TC_OK;
}

/* The samples of the trace are the last ones so far. device_type 0 is the CPU. The last row is the
 * largest of all devices. */
static void put_memory(
	struct tc_tables *tables, struct tc_metric_writer *writer, const struct tc_survey *survey)
{
	const struct tc_sql_value first = tc_sql_int(survey->timeline->memory_base);
	bool has_memory =
		has_row(tables, "SELECT 1 FROM memory_sample WHERE id >= ? LIMIT 1", first.i64);

	tc_metric_put(writer, TC_METRIC_HAS_MEMORY, TC_METRIC_RUN, has_memory);
	tc_metric_put(writer, TC_METRIC_HAS_MEMORY_GROWTH, TC_METRIC_RUN,
		(has_memory || survey->has_device_memory) && survey->timeline->step_count > 0);
	if (!has_memory)
		return;
	tc_tables_each(tables,
		"WITH peak AS (SELECT device_id, max(total_allocated_bytes) AS allocated,"
		" max(total_reserved_bytes) AS reserved FROM memory_sample"
		" WHERE id >= ? AND device_type <> 0 GROUP BY device_id)"
		" SELECT CAST(device_id AS TEXT), allocated, reserved, count(*) OVER () FROM peak"
		" WHERE device_id IS NOT NULL"
		" UNION ALL SELECT NULL, max(allocated), max(reserved), 0 FROM peak",
		&first, put_peaks, &(struct peaks){writer, survey->timeline});
}

/* If device work was not recorded or its times are not known, the device only looks idle. */
static bool has_idle(
	const struct tc_device_tally *devices, const struct tc_timeline *timeline, int64_t op_count)
{
	size_t working_count = 0;

	if (devices->clocks.steps_apart)
		return false;
	if (op_count == 0 || devices->clamped_total > op_count - devices->clamped_total)
		return false;
	for (size_t i = 0; i < timeline->step_count; i++)
		working_count += tc_busy_has_work(
			tc_device_tally_step(devices, devices->tally_count - 1, i));
	return working_count >= timeline->step_count - working_count;
}

static void put_has(struct tc_metric_writer *writer, enum tc_metric metric, bool value)
{
	tc_metric_put(writer, metric, TC_METRIC_RUN, value);
}

/* Side files are read after the trace. They set the capabilities that they provide. */
static void put_side(struct tc_metric_writer *writer)
{
	for (enum tc_metric metric = 0; metric < TC_METRIC_COUNT; metric++)
		if (strcmp(tc_metric_info(metric)->level, "side") == 0)
			put_has(writer, metric, false);
}

void tc_capabilities_write(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_device_tally *devices, const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;
	struct device_facts facts = device_facts_of(devices);
	bool launches =
		facts.launched_count > 0 &&
		facts.launched_count >= facts.op_count - facts.before_count - facts.launched_count;
	int64_t slice_count = 0;
	bool shapes = has_shapes(tables, survey), bridge = has_bridge(tables, survey);
	bool gpu =
		has_row(tables, "SELECT 1 FROM trace WHERE id = ? AND vendor IN ('cuda', 'rocm')",
			timeline->trace_id);
	bool framework = has_row(tables,
		"SELECT 1 FROM trace WHERE id = ?"
		" AND format IN ('gaudi-lazy', 'gaudi-kineto', 'kineto', 'synapse-log')",
		timeline->trace_id);
	bool inference =
		has_row(tables, "SELECT 1 FROM run_kind WHERE trace_id = ? AND kind = 'inference'",
			timeline->trace_id);

	for (size_t i = 0; i < timeline->track_count; i++)
		slice_count += timeline->tracks[i].slice_count;
	tc_metric_put(writer, TC_METRIC_SLICE_COUNT, TC_METRIC_RUN, slice_count);
	tc_metric_put(writer, TC_METRIC_RECORDED_ONE_OF, TC_METRIC_RUN, timeline->recorded_one_of);
	tc_metric_put(writer, TC_METRIC_PYTHON_FRAMES, TC_METRIC_RUN, survey->python_count);
	put_has(writer, TC_METRIC_HAS_HOST, survey->slice_count > 0);
	put_has(writer, TC_METRIC_HAS_DEVICE, facts.op_count > 0);
	put_has(writer, TC_METRIC_HAS_STEPS, timeline->step_count > 0);
	put_has(writer, TC_METRIC_HAS_LAUNCHES, launches);
	put_has(writer, TC_METRIC_HAS_IDLE, has_idle(devices, timeline, facts.op_count));
	put_has(writer, TC_METRIC_HAS_ONE_CLOCK, !devices->clocks.steps_apart);
	put_has(writer, TC_METRIC_HAS_GAUDI, facts.has_gaudi);
	put_has(writer, TC_METRIC_HAS_FRAMEWORK, framework || facts.op_count > 0);
	put_has(writer, TC_METRIC_HAS_TRAINING, !inference);
	put_has(writer, TC_METRIC_HAS_LOOP, survey->server.has_loop);
	put_has(writer, TC_METRIC_HAS_GPU, gpu);
	put_has(writer, TC_METRIC_HAS_MME, facts.has_mme);
	put_has(writer, TC_METRIC_HAS_DATA_TYPES, facts.has_data_types);
	put_has(writer, TC_METRIC_HAS_BRIDGE, bridge);
	put_has(writer, TC_METRIC_HAS_FALLBACKS, bridge || launches);
	put_has(writer, TC_METRIC_HAS_COMPILES, bridge && timeline->step_count > 0);
	put_has(writer, TC_METRIC_HAS_COMMUNICATION,
		facts.has_communication || survey->has_collective);
	put_has(writer, TC_METRIC_HAS_SHAPES, shapes);
	put_has(writer, TC_METRIC_HAS_STACKS, survey->python_count > 0);
	put_side(writer);
	put_memory(tables, writer, survey);
	tc_metric_put(writer, TC_METRIC_HAS_RANKS, TC_METRIC_RUN, 0); /* see tc_ranks_relate() */
	tc_tables_keep(tables, tc_metric_writer_flush(writer));
}

/*
 * The file as the bridge rewrites it: one line, keys sorted, doubles in shortest form. kineto's own
 * events come first, then engines, Synapse host, bridge, API logger and memory, each section from
 * a replay of its own.
 */
#include "tracegen.h"

#include <string.h>

enum { PID = 14734, AUTOGRAD_TID = 15021, SYNAPSE_PID = 22101, SYNAPSE_TID = 18001 };
enum { LOGGER_PID = 10000, BRIDGE_PID = 20000, MEMORY_PID = 30000, OPEN_MAX = 32 };

struct writer {
	struct tg_out *out;
	const struct tg_options *opt;
	enum tg_section section;
	bool first;
};

static int64_t pid_of(const struct writer *w)
{
	return PID + w->opt->rank;
}

static int64_t tid_of(const struct writer *w, unsigned thread)
{
	return thread == TG_AUTOGRAD ? AUTOGRAD_TID + w->opt->rank : pid_of(w);
}

static void begin(struct writer *w)
{
	tg_put(w->out, w->first ? "{" : ",{");
	w->first = false;
}

static void put_field(struct writer *w, const char *key, int64_t value)
{
	tg_put(w->out, key);
	tg_put_int(w->out, value);
}

static void metadata(struct writer *w, const char *name, const char *args, int64_t pid, int64_t tid)
{
	begin(w);
	tg_put(w->out, "\"args\":{");
	tg_put(w->out, args);
	tg_put(w->out, "},\"name\":\"");
	tg_put(w->out, name);
	put_field(w, "\",\"ph\":\"M\",\"pid\":", pid);
	put_field(w, ",\"tid\":", tid);
	tg_put(w->out, ",\"ts\":0.0}");
}

static void name_process(
	struct writer *w, const char *name, const char *labels, int64_t pid, int64_t sort_index)
{
	char text[160];

	snprintf(text, sizeof(text), "\"name\":\"%s\"", name);
	metadata(w, "process_name", text, pid, 0);
	snprintf(text, sizeof(text), "\"labels\":\"%s\"", labels);
	metadata(w, "process_labels", text, pid, 0);
	snprintf(text, sizeof(text), "\"sort_index\":%lld", (long long)sort_index);
	metadata(w, "process_sort_index", text, pid, 0);
}

static void name_thread(struct writer *w, const char *name, int64_t pid, int64_t tid, int64_t sort)
{
	char text[160];

	snprintf(text, sizeof(text), "\"name\":\"%s\"", name);
	metadata(w, "thread_name", text, pid, tid);
	snprintf(text, sizeof(text), "\"sort_index\":%lld", (long long)sort);
	metadata(w, "thread_sort_index", text, pid, tid);
}

static void put_name(struct writer *w, const struct tg_event *event)
{
	tg_put(w->out, "\"name\":\"");
	tg_put(w->out, event->name);
	if (event->name[strlen(event->name) - 1] == '#') {
		tg_put_int(w->out, event->number);
	}
	tg_put(w->out, "\"");
}

/* kineto wrote integer microseconds up to PyTorch 2.2, nanoseconds as decimals since. */
static void put_cpu_us(struct writer *w, int64_t ns)
{
	if (w->opt->relative_ts) {
		tg_put_us_double(w->out, ns);
	} else {
		tg_put_int(w->out, ns / 1000);
	}
}

static void put_cpu_args(struct writer *w, const struct tg_event *event)
{
	if (event->args == TG_ARGS_PYTHON) {
		put_field(w, "\"args\":{\"Python id\":", event->a);
		tg_put(w->out, ",\"Python parent id\":null");
		return;
	}
	put_field(w, "\"args\":{\"Ev Idx\":", event->a - 1);
	put_field(w, ",\"External id\":", event->a);
	if (event->args == TG_ARGS_OP && event->inputs != NULL) {
		tg_put(w->out, ",\"Input Dims\":");
		tg_put(w->out, event->inputs->dims);
		tg_put(w->out, ",\"Input type\":");
		tg_put(w->out, event->inputs->types);
	} else if (event->args == TG_ARGS_OP && event->c != 0) {
		put_field(w, ",\"Input Dims\":[[", event->c);
		tg_put(w->out, ",49,512],[512,512]]");
	}
	if (event->args == TG_ARGS_OP && event->b != 0) {
		put_field(w, ",\"Sequence number\":", event->b);
	}
}

static void put_cpu(struct writer *w, const struct tg_event *event)
{
	static const char *const categories[] = {[TG_CAT_OP] = "},\"cat\":\"cpu_op\",\"dur\":",
		[TG_CAT_ANNOTATION] = "},\"cat\":\"user_annotation\",\"dur\":",
		[TG_CAT_PYTHON] = "},\"cat\":\"python_function\",\"dur\":"};

	begin(w);
	put_cpu_args(w, event);
	tg_put(w->out, categories[event->category]);
	put_cpu_us(w, event->dur_ns);
	tg_put(w->out, ",");
	put_name(w, event);
	put_field(w, ",\"ph\":\"X\",\"pid\":", pid_of(w));
	put_field(w, ",\"tid\":", tid_of(w, event->lane));
	tg_put(w->out, ",\"ts\":");
	put_cpu_us(w, event->ts_ns);
	tg_put(w->out, "}");
}

static void put_recipe(struct writer *w, uint32_t recipe)
{
	if (recipe == 0) {
		tg_put(w->out, "\"recipeId\":0,\"recipeName\":\"\",\"streamHandle\":\"0x0\"}");
		return;
	}
	put_field(w, "\"recipeId\":", 0xE001 + (recipe * 61) % 0x1FFD);
	put_field(w, ",\"recipeName\":\".graph_dumps/HabanaFusedOpLazy_", recipe);
	put_field(w, "_", recipe - 1);
	tg_put(w->out, "\",\"streamHandle\":\"0xd97f000000000003\"}");
}

static void put_device_args(struct writer *w, const struct tg_event *event)
{
	static const char *const hardware[] = {
		[TG_MME] = "{\"HW event name\":\"MMEH_WB0_MON_TS_BIT1\",\"dataType\":\"",
		[TG_TPC] = "{\"HW event name\":\"TPC_SPU_START_TO_SPU_HALT\",\"dataType\":\"",
		[TG_DMA] = "{\"HW event name\":\"DBG_DMA_TRC_WR_DATA_LAST\",\"dataType\":\"",
		[TG_NIC] = "{\"HW event name\":\"STM_0_TX\",\"dataType\":\"",
	};
	static const char *const types[] = {"", "bf16", "float32"};
	bool second = event->cls == TG_MME && event->variant == 1;

	tg_put(w->out, "\"args\":");
	tg_put(w->out, second ? "{\"HW event name\":\"MMEH_WB1_MON_TS_BIT1\",\"dataType\":\""
			      : hardware[event->cls]);
	tg_put(w->out, types[event->b]);
	tg_put(w->out, event->category == TG_CAT_KERNEL ? "\",\"device\":0,\"eventHandle\":\"0x0\","
							: "\",\"eventHandle\":\"0x0\",");
	put_recipe(w, event->a);
}

static int64_t lane_tid(const struct tg_event *event)
{
	static const int64_t base[] = {
		[TG_MME] = 6100, [TG_TPC] = 7200, [TG_DMA] = 4010, [TG_NIC] = 14000};

	if (event->cls == TG_DMA && event->lane >= 4) {
		return 3004 + event->lane - 4;
	}
	return base[event->cls] + event->lane;
}

static void put_device(struct writer *w, const struct tg_event *event)
{
	begin(w);
	put_device_args(w, event);
	tg_put(w->out, event->category == TG_CAT_KERNEL ? ",\"cat\":\"Kernel\",\"dur\":"
							: ",\"cat\":\"Runtime\",\"dur\":");
	tg_put_us_double(w->out, event->dur_ns);
	tg_put(w->out, ",");
	put_name(w, event);
	put_field(w, ",\"ph\":\"X\",\"pid\":0,\"tid\":", lane_tid(event));
	tg_put(w->out, ",\"ts\":");
	tg_put_us_double(w->out, event->ts_ns);
	tg_put(w->out, "}");
}

static void put_synapse(struct writer *w, const struct tg_event *event)
{
	begin(w);
	tg_put(w->out, "\"args\":{\"dataType\":\"\",\"eventHandle\":\"0x0\",");
	put_recipe(w, event->a);
	tg_put(w->out, ",\"cat\":\"Runtime\",\"dur\":");
	tg_put_us_double(w->out, event->dur_ns);
	tg_put(w->out, ",");
	put_name(w, event);
	put_field(w, ",\"ph\":\"X\",\"pid\":", SYNAPSE_PID);
	put_field(w, ",\"tid\":", SYNAPSE_TID);
	tg_put(w->out, ",\"ts\":");
	tg_put_us_double(w->out, event->ts_ns);
	tg_put(w->out, "}");
}

static void put_begin_args(struct writer *w, const struct tg_event *event)
{
	switch (event->args) {
	case TG_ARGS_SIZE:
		put_field(w, "\"args\":{\"size\":\"", event->c);
		tg_put(w->out, "\",\"streamHandle\":\"0x29050a40\"},");
		break;
	case TG_ARGS_LAUNCH:
		put_field(w, "\"args\":{\"numberOfTensors\":\"", event->c);
		tg_put(w->out, "\",\"streamHandle\":\"0x29050a40\","
			       "\"streamName\":\"STREAM_TYPE_COMPUTE\"},");
		break;
	case TG_ARGS_STATUS: tg_put(w->out, "\"args\":{\"eventHandle\":\"0x29051b20\"},"); break;
	default: break;
	}
}

static void put_edge(struct writer *w, const struct tg_event *event, bool opening)
{
	int64_t offset = w->section == TG_SEC_BRIDGE ? BRIDGE_PID : LOGGER_PID;

	begin(w);
	if (opening) {
		put_begin_args(w, event);
	} else if (event->args != TG_ARGS_NONE) {
		tg_put(w->out, "\"args\":{\"status\":\"0\"},");
	}
	tg_put(w->out, "\"cat\":\"Runtime\",");
	put_name(w, event);
	put_field(w,
		opening ? ",\"ph\":\"B\",\"pid\":" : ",\"ph\":\"E\",\"pid\":", pid_of(w) + offset);
	put_field(w, ",\"tid\":", tid_of(w, event->lane));
	tg_put(w->out, ",\"ts\":");
	tg_put_us_double(w->out, opening ? event->ts_ns : event->ts_ns + event->dur_ns);
	tg_put(w->out, "}");
}

static void put_memory(struct writer *w, const struct tg_event *event)
{
	begin(w);
	put_field(w, "\"args\":{\"Addr\":",
		INT64_C(1155173304420532224) + event->number * INT64_C(67108864));
	put_field(w, ",\"Bytes\":", event->c);
	put_field(w, ",\"Device Id\":0,\"Device Type\":1,\"Profiler Event Index\":", event->a);
	put_field(w, ",\"Total Allocated\":", (int64_t)event->b * 512);
	tg_put(w->out, ",\"Total Reserved\":95000000000},\"cat\":\"cpu_instant_event\",");
	put_name(w, event);
	put_field(w, ",\"ph\":\"i\",\"pid\":", pid_of(w) + MEMORY_PID);
	put_field(w, ",\"s\":\"t\",\"tid\":", tid_of(w, event->lane));
	tg_put(w->out, ",\"ts\":");
	tg_put_us_double(w->out, event->ts_ns);
	tg_put(w->out, "}");
}

/* Begin and end edges of one section in time order: events come in order of their start. */
static void put_edges(struct writer *w, const struct tg_sim *sim)
{
	const struct tg_event *open[OPEN_MAX];
	size_t depth = 0;

	for (size_t i = 0; i < sim->count; i++) {
		const struct tg_event *event = &sim->events[i];

		if (event->section != w->section) {
			continue;
		}
		while (depth > 0 &&
			open[depth - 1]->ts_ns + open[depth - 1]->dur_ns <= event->ts_ns) {
			put_edge(w, open[--depth], false);
		}
		put_edge(w, event, true);
		if (depth < OPEN_MAX) {
			open[depth++] = event;
		}
	}
	while (depth > 0) {
		put_edge(w, open[--depth], false);
	}
}

static void put_event(struct writer *w, const struct tg_event *event)
{
	switch (event->section) {
	case TG_SEC_CPU: put_cpu(w, event); break;
	case TG_SEC_DEVICE: put_device(w, event); break;
	case TG_SEC_SYNAPSE: put_synapse(w, event); break;
	case TG_SEC_MEMORY: put_memory(w, event); break;
	default: break;
	}
}

static bool write_step(struct tg_sim *sim, void *data)
{
	struct writer *w = data;

	if (w->section == TG_SEC_BRIDGE || w->section == TG_SEC_LOGGER) {
		put_edges(w, sim);
		return !w->out->failed;
	}
	for (size_t i = 0; i < sim->count; i++) {
		if (sim->events[i].section == w->section) {
			put_event(w, &sim->events[i]);
		}
	}
	return !w->out->failed;
}

static bool write_section(struct writer *w, enum tg_section section)
{
	struct tg_sim sim;

	w->section = section;
	tg_sim_init(&sim, w->opt);
	sim.want_lanes = section == TG_SEC_DEVICE;
	return tg_run(&sim, w->opt, write_step, w);
}

static void name_host(struct writer *w)
{
	char text[64];

	name_process(w, "python3", "CPU", pid_of(w), pid_of(w));
	for (unsigned thread = TG_MAIN; thread <= TG_AUTOGRAD; thread++) {
		snprintf(text, sizeof(text), "thread %lld (%s)", (long long)tid_of(w, thread),
			thread == TG_MAIN ? "python3" : "pt_autograd_0");
		name_thread(w, text, pid_of(w), tid_of(w, thread), tid_of(w, thread));
	}
}

static void name_engines(struct writer *w)
{
	struct tg_event lane;
	char text[64];

	memset(&lane, 0, sizeof(lane));
	name_process(w, "/device:HPU:0", "/device:HPU:0", 0, 16777216);
	for (lane.cls = TG_MME; lane.cls < TG_CLASS_COUNT; lane.cls++) {
		static const int lanes[] = {4, 24, 6, 4};
		int count = lane.cls == TG_NIC && w->opt->world_size == 1 ? 0 : lanes[lane.cls];

		for (lane.lane = 0; lane.lane < count; lane.lane++) {
			int i = lane.lane;

			switch (lane.cls) {
			case TG_MME: snprintf(text, sizeof(text), "MME %d", i); break;
			case TG_TPC:
				snprintf(text, sizeof(text), "[D%d] TPC %d", i / 6, i % 6);
				break;
			case TG_DMA:
				snprintf(text, sizeof(text), "%cDMA %d", i < 4 ? 'E' : 'P', i & 3);
				break;
			default: snprintf(text, sizeof(text), "NIC %d", i); break;
			}
			name_thread(w, text, 0, lane_tid(&lane), -1);
		}
	}
}

static void put_head(struct writer *w)
{
	tg_put(w->out, "{");
	if (w->opt->relative_ts) {
		tg_put(w->out, "\"baseTimeNanoseconds\":1727712558000000000,");
	}
	tg_put(w->out,
		"\"deviceProperties\":[{\"name\":\"GAUDI2\",\"totalGlobalMem\":102106132480}],");
	if (w->opt->relative_ts) {
		tg_put(w->out, "\"displayTimeUnit\":\"ms\",");
	}
	if (w->opt->world_size > 1) {
		put_field(w, "\"distributedInfo\":{\"backend\":\"hccl\",\"rank\":", w->opt->rank);
		put_field(w, ",\"world_size\":", w->opt->world_size);
		tg_put(w->out, "},");
	}
	tg_put(w->out, "\"schemaVersion\":1,\"traceEvents\":[");
}

bool tg_write_lazy(struct tg_out *out, const struct tg_options *opt)
{
	struct writer w = {.out = out, .opt = opt, .first = true};
	int64_t pid = pid_of(&w);
	bool ok;

	put_head(&w);
	name_host(&w);
	ok = write_section(&w, TG_SEC_CPU);
	name_engines(&w);
	ok = ok && write_section(&w, TG_SEC_DEVICE) && write_section(&w, TG_SEC_SYNAPSE);
	name_thread(&w, "Synapse/*Host Profiler", SYNAPSE_PID, SYNAPSE_TID, -1);
	ok = ok && write_section(&w, TG_SEC_LOGGER);
	name_process(&w, "Synapse Logger", "Synapse Logger", pid + LOGGER_PID, pid + LOGGER_PID);
	ok = ok && write_section(&w, TG_SEC_BRIDGE);
	name_process(&w, "Bridge Logs", "Bridge Logs", pid + BRIDGE_PID, pid + BRIDGE_PID);
	ok = ok && write_section(&w, TG_SEC_MEMORY);
	name_process(&w, "Memory Logs", "Memory Logs", pid + MEMORY_PID, pid + MEMORY_PID);
	tg_put(out, "],\"traceName\":\"trace_");
	tg_put_int(out, pid);
	tg_put(out, ".pt.trace.json\"}");
	return ok;
}

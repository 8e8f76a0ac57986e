/*
 * The file as kineto writes it: its key order and layout, times with three decimals relative to
 * baseTimeNanoseconds. Framework operations first, then runtime and device, metadata last; each
 * section comes from a replay of its own. Serves CUDA and the newer Gaudi generation.
 */
#include "kineto.h"

#include <string.h>

static int64_t host_pid(const struct tg_kineto *k)
{
	return 14734 + k->opt->rank;
}

static int64_t host_tid(const struct tg_kineto *k, unsigned thread)
{
	static const int64_t offset[] = {[TG_MAIN] = 0, [TG_AUTOGRAD] = 287, [TG_LAUNCHER] = 3};

	return host_pid(k) + offset[thread];
}

void tg_kineto_field(struct tg_kineto *k, const char *key, int64_t value)
{
	tg_put(k->out, key);
	tg_put_int(k->out, value);
}

static void begin(struct tg_kineto *k, const char *text)
{
	tg_put(k->out, k->first ? "\n  {\n    " : ",\n  {\n    ");
	tg_put(k->out, text);
	k->first = false;
}

static void put_place(struct tg_kineto *k, const struct tg_event *event, int64_t pid, int64_t tid)
{
	tg_kineto_field(k, "\"pid\": ", pid);
	tg_kineto_field(k, ", \"tid\": ", tid);
	tg_put(k->out, ",\n    \"ts\": ");
	tg_put_us_fixed(k->out, event->ts_ns);
}

static void begin_slice(struct tg_kineto *k, const struct tg_event *event, const char *category,
	int64_t pid, int64_t tid)
{
	begin(k, "\"ph\": \"X\", \"cat\": \"");
	tg_put(k->out, category);
	tg_put(k->out, "\", \"name\": \"");
	tg_put(k->out, event->name);
	if (event->name[strlen(event->name) - 1] == '#') {
		tg_put_int(k->out, event->number);
	}
	tg_put(k->out, "\", ");
	put_place(k, event, pid, tid);
	tg_put(k->out, ", \"dur\": ");
	tg_put_us_fixed(k->out, event->dur_ns);
}

static void put_inputs(struct tg_kineto *k, const struct tg_inputs *inputs)
{
	tg_put(k->out, ", \"Concrete Inputs\": ");
	tg_put(k->out, inputs->concrete != NULL ? inputs->concrete : "[\"\", \"\", \"\"]");
	tg_put(k->out, ", \"Input type\": ");
	tg_put(k->out, inputs->types);
	tg_put(k->out, ", \"Input Dims\": ");
	tg_put(k->out, inputs->dims);
}

static void put_cpu(struct tg_kineto *k, const struct tg_event *event)
{
	static const char *const names[] = {[TG_CAT_OP] = "cpu_op",
		[TG_CAT_ANNOTATION] = "user_annotation",
		[TG_CAT_PYTHON] = "python_function"};

	begin_slice(k, event, names[event->category], host_pid(k), host_tid(k, event->lane));
	if (event->category == TG_CAT_PYTHON) {
		tg_put(k->out, ",\n    \"args\": {\n      \"Python parent id\": null");
		tg_kineto_field(k, ", \"Python id\": ", event->a);
		tg_put(k->out, "\n    }\n  }");
		return;
	}
	tg_kineto_field(k, ",\n    \"args\": {\n      \"External id\": ", event->a);
	if (event->args == TG_ARGS_OP && event->b != 0) {
		tg_kineto_field(k, ",\"Sequence number\": ", event->b);
		tg_put(k->out, ", \"Fwd thread id\": ");
		tg_put_int(k->out, event->lane == TG_AUTOGRAD ? 1 : 0);
	}
	tg_put(k->out, event->args == TG_ARGS_OP ? ", \"Record function id\": 0"
						 : ",\"Record function id\": 0");
	if (event->args == TG_ARGS_OP && event->inputs != NULL) {
		put_inputs(k, event->inputs);
	} else if (event->args == TG_ARGS_OP && event->c != 0) {
		tg_put(k->out, ", \"Concrete Inputs\": [\"\", \"\"], \"Input type\": "
			       "[\"c10::BFloat16\", \"c10::BFloat16\"], \"Input Strides\": "
			       "[[25088, 512, 1], [512, 1]], \"Input Dims\": [[");
		tg_put_int(k->out, event->c);
		tg_put(k->out, ", 49, 512], [512, 512]]");
	}
	tg_kineto_field(k, ", \"Ev Idx\": ", event->a - 1);
	tg_put(k->out, "\n    }\n  }");
}

static void put_memory(struct tg_kineto *k, const struct tg_event *event)
{
	bool cuda = k->opt->format == TG_CUDA;

	begin(k, "\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", "
		 "\"name\": \"[memory]\",\n    ");
	put_place(k, event, host_pid(k) + (cuda ? 0 : 30000), host_tid(k, event->lane));
	tg_put(k->out, ",\n    \"args\": {\n      \"Total Reserved\": 60000000000");
	tg_kineto_field(k, ", \"Total Allocated\": ", (int64_t)event->b * 512);
	tg_kineto_field(k, ", \"Bytes\": ", event->c);
	tg_kineto_field(
		k, ", \"Addr\": ", INT64_C(128184607182336) + event->number * INT64_C(67108864));
	tg_put(k->out, ", \"Device Id\": 0, \"Device Type\": 1");
	tg_kineto_field(k, ", \"Ev Idx\": ", event->a);
	tg_put(k->out, "\n    }\n  }");
}

/* Gaudi: bridge, Synapse host and engines. */
static void put_recipe(struct tg_kineto *k, uint32_t recipe)
{
	tg_kineto_field(k, "\"recipeId\": ", recipe == 0 ? 0 : 0xE001 + (recipe * 61) % 0x1FFD);
	tg_put(k->out, ", \"recipeName\": \"");
	if (recipe != 0) {
		tg_kineto_field(k, "graph_recipe_", recipe);
	}
	tg_put(k->out, recipe != 0 ? "\", \"streamHandle\": \"0xd97f000000000003\""
				   : "\", \"streamHandle\": \"0x0\"");
	tg_put(k->out, ", \"eventHandle\": \"0x0\", \"dataType\": \"");
}

static int64_t lane_tid(const struct tg_event *event)
{
	static const int64_t base[] = {
		[TG_MME] = 6100, [TG_TPC] = 7200, [TG_DMA] = 3000, [TG_NIC] = 14000};

	return base[event->cls] + event->lane;
}

static void put_engine(struct tg_kineto *k, const struct tg_event *event)
{
	static const char *const types[] = {"", "bf16", "float32"};
	static const char *const hardware[] = {[TG_MME] = "MMEH_WB0_MON_TS_BIT1",
		[TG_TPC] = "TPC_SPU_START_TO_SPU_HALT",
		[TG_DMA] = "DBG_DMA_TRC_WR_DATA_LAST",
		[TG_NIC] = "STM_0_TX"};
	static const char *const categories[] = {[TG_CAT_KERNEL] = "kernel",
		[TG_CAT_MEMCPY] = "gpu_memcpy",
		[TG_CAT_MEMSET] = "gpu_memset",
		[TG_CAT_OTHER] = "hpu_op"};
	bool second = event->cls == TG_MME && event->variant == 1;

	begin_slice(k, event, categories[event->category], 0, lane_tid(event));
	tg_put(k->out, ",\n    \"args\": {\n      ");
	tg_put(k->out, event->category == TG_CAT_KERNEL ? "\"device\": 0, " : "");
	put_recipe(k, event->a);
	tg_put(k->out, types[event->b]);
	tg_put(k->out, "\", \"HW event name\": \"");
	tg_put(k->out, second ? "MMEH_WB1_MON_TS_BIT1" : hardware[event->cls]);
	tg_put(k->out, "\"\n    }\n  }");
}

static void put_gaudi(struct tg_kineto *k, const struct tg_event *event)
{
	switch (event->section) {
	case TG_SEC_DEVICE: put_engine(k, event); break;
	case TG_SEC_SYNAPSE:
		begin_slice(k, event, "hpu_op", 22101, 18001);
		tg_put(k->out, ",\n    \"args\": {\n      ");
		put_recipe(k, event->a);
		tg_put(k->out, "\"\n    }\n  }");
		break;
	case TG_SEC_BRIDGE:
		begin_slice(k, event, "privateuse1_runtime", host_pid(k), host_tid(k, event->lane));
		tg_put(k->out, ",\n    \"args\": {\n      \n    }\n  }");
		break;
	default: break;
	}
}

void tg_kineto_slice(struct tg_kineto *k, const struct tg_event *event, const char *category)
{
	if (event->section == TG_SEC_DEVICE) {
		begin_slice(k, event, category, 0, event->lane);
	} else {
		begin_slice(k, event, category, host_pid(k), host_tid(k, event->lane));
	}
}

static void open_arrow(struct tg_kineto *k, bool starts, int64_t id)
{
	begin(k, starts ? "\"ph\": \"s\", \"id\": " : "\"ph\": \"f\", \"id\": ");
	tg_put_int(k->out, id);
	tg_put(k->out, ", ");
}

/* The arrow from a launch to what it launched; both ends carry the correlation as id. */
void tg_kineto_arrow(struct tg_kineto *k, const struct tg_event *event, bool starts)
{
	open_arrow(k, starts, event->c);
	if (starts) {
		put_place(k, event, host_pid(k), host_tid(k, event->lane));
	} else {
		put_place(k, event, 0, event->lane);
	}
	tg_put(k->out, ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"");
	tg_put(k->out, starts ? "\n  }" : ", \"bp\": \"e\"\n  }");
}

static bool write_step(struct tg_sim *sim, void *data)
{
	struct tg_kineto *k = data;

	for (size_t i = 0; i < sim->count; i++) {
		const struct tg_event *event = &sim->events[i];
		bool cpu = event->section == TG_SEC_CPU;

		if (event->section == TG_SEC_MEMORY && k->cpu) {
			put_memory(k, event);
		} else if (cpu && k->cpu) {
			put_cpu(k, event);
		} else if (!cpu && !k->cpu && k->opt->format == TG_CUDA) {
			tg_kineto_put_cuda(k, event);
		} else if (!cpu && !k->cpu) {
			put_gaudi(k, event);
		}
	}
	k->end_ns = sim->step_end_ns > sim->last_device_ns ? sim->step_end_ns : sim->last_device_ns;
	return !k->out->failed;
}

static bool write_section(struct tg_kineto *k, bool cpu)
{
	struct tg_sim sim;

	k->cpu = cpu;
	tg_sim_init(&sim, k->opt);
	sim.want_lanes = !cpu;
	k->base_ns = sim.base_ns;
	return tg_run(&sim, k->opt, write_step, k);
}

static void metadata(
	struct tg_kineto *k, const char *name, int64_t pid, int64_t tid, const char *key)
{
	begin(k, "\"name\": \"");
	tg_put(k->out, name);
	tg_put(k->out, "\", \"ph\": \"M\", \"ts\": ");
	tg_put_us_fixed(k->out, k->base_ns);
	tg_kineto_field(k, ", \"pid\": ", pid);
	tg_kineto_field(k, ", \"tid\": ", tid);
	tg_put(k->out, ",\n    \"args\": {\n      \"");
	tg_put(k->out, key);
	tg_put(k->out, "\": ");
}

static void name_process(
	struct tg_kineto *k, const char *name, const char *labels, int64_t pid, int64_t sort_index)
{
	metadata(k, "process_name", pid, 0, "name");
	tg_put_json(k->out, name);
	tg_put(k->out, "\n    }\n  }");
	metadata(k, "process_labels", pid, 0, "labels");
	tg_put_json(k->out, labels);
	tg_put(k->out, "\n    }\n  }");
	metadata(k, "process_sort_index", pid, 0, "sort_index");
	tg_kineto_field(k, "", sort_index);
	tg_put(k->out, "\n    }\n  }");
}

static void name_thread(
	struct tg_kineto *k, const char *name, int64_t pid, int64_t tid, int64_t sort)
{
	metadata(k, "thread_name", pid, tid, "name");
	tg_put_json(k->out, name);
	tg_put(k->out, "\n    }\n  }");
	metadata(k, "thread_sort_index", pid, tid, "sort_index");
	tg_put_int(k->out, sort);
	tg_put(k->out, "\n    }\n  }");
}

static void name_host(struct tg_kineto *k)
{
	static const char *const names[] = {"python3", "pt_autograd_0", "LaunchThread"};
	bool gloo = k->opt->format == TG_CUDA && k->opt->state[TG_SLOW_BACKEND] == TG_ON;
	unsigned threads = k->opt->format == TG_CUDA && !gloo ? 2 : TG_THREAD_COUNT;
	char text[64];

	name_process(k, "python3", "CPU", host_pid(k), host_pid(k));
	for (unsigned i = 0; i < threads; i++) {
		snprintf(text, sizeof(text), "thread %lld (%s)", (long long)host_tid(k, i),
			gloo && i == TG_LAUNCHER ? "pt_gloo_runloop" : names[i]);
		name_thread(k, text, host_pid(k), host_tid(k, i), host_tid(k, i));
	}
}

static void name_engines(struct tg_kineto *k)
{
	static const int lanes[] = {[TG_MME] = 8, [TG_TPC] = 64, [TG_DMA] = 6, [TG_NIC] = 4};
	struct tg_event lane;
	char text[64];

	memset(&lane, 0, sizeof(lane));
	name_process(k, "/device:HPU:0", "/device:HPU:0", 0, 16777216);
	for (lane.cls = TG_MME; lane.cls < TG_CLASS_COUNT; lane.cls++) {
		int count = lane.cls == TG_NIC && k->opt->world_size == 1 ? 0 : lanes[lane.cls];

		for (lane.lane = 0; lane.lane < count; lane.lane++) {
			int i = lane.lane;

			switch (lane.cls) {
			case TG_MME: snprintf(text, sizeof(text), "[HD%d] MME", i); break;
			case TG_TPC:
				snprintf(text, sizeof(text), "[HD%d] TPC %d", i / 8, i % 8);
				break;
			case TG_DMA:
				snprintf(text, sizeof(text), "[D%d] SPDMA %d", i % 2, i / 2);
				break;
			default: snprintf(text, sizeof(text), "NIC %d", i); break;
			}
			name_thread(k, text, 0, lane_tid(&lane), -1);
		}
	}
	name_thread(k, "Synapse/*Host Profiler", 22101, 18001, -1);
	name_process(k, "Memory Logs", "Memory Logs", host_pid(k) + 30000, host_pid(k) + 30000);
}

static void name_streams(struct tg_kineto *k)
{
	name_process(k, "python3", "GPU 0", 0, 16777216);
	name_thread(k, "stream 7 ", 0, TG_STREAM_COMPUTE, TG_STREAM_COMPUTE);
	if (k->opt->world_size > 1) {
		name_thread(k, "stream 20 ", 0, TG_STREAM_COMM, TG_STREAM_COMM);
	}
	if (k->opt->state[TG_SLOW_BACKEND] == TG_ON) {
		name_thread(k, "stream 24 ", 0, TG_STREAM_HOST_LINK, TG_STREAM_HOST_LINK);
	}
}

static void put_head(struct tg_kineto *k)
{
	bool cuda = k->opt->format == TG_CUDA;

	tg_put(k->out, "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      ");
	tg_put(k->out, cuda ? TG_CUDA_PROPERTIES
			    : "\"name\": \"GAUDI3\", \"totalGlobalMem\": 137438953472");
	tg_put(k->out, "\n    }\n  ],\n");
	if (k->opt->world_size > 1) {
		tg_put(k->out, cuda ? "  \"distributedInfo\": {\"backend\": \"nccl\", "
				    : "  \"distributedInfo\": {\"backend\": \"hccl\", ");
		tg_kineto_field(k, "\"rank\": ", k->opt->rank);
		tg_kineto_field(k, ", \"world_size\": ", k->opt->world_size);
		tg_put(k->out, "},\n");
	}
	tg_put(k->out, "  \"record_shapes\": 1,\n  \"displayTimeUnit\": \"ms\",\n"
		       "  \"baseTimeNanoseconds\": 1727712558000000000,\n  \"traceEvents\": [");
}

static void put_tail(struct tg_kineto *k)
{
	begin(k, "\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
	tg_put_us_fixed(k->out, k->base_ns);
	tg_put(k->out, ", \"dur\": ");
	tg_put_us_fixed(k->out, k->end_ns - k->base_ns);
	tg_put(k->out, ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n"
		       "    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n"
		       "      \"Op count\": 0\n    }\n  }");
	begin(k, "\"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n"
		 "    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
	tg_put_us_fixed(k->out, k->base_ns);
	tg_put(k->out, "\n  }");
	begin(k, "\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
		 "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
	tg_put_us_fixed(k->out, k->end_ns);
	tg_put(k->out, "\n  }\n  ],\n  \"traceName\": \"./trace_");
	tg_put_int(k->out, host_pid(k));
	tg_put(k->out, ".pt.trace.json\"\n}\n");
}

bool tg_write_kineto(struct tg_out *out, const struct tg_options *opt)
{
	struct tg_kineto k = {.out = out, .opt = opt, .first = true};
	bool ok;

	put_head(&k);
	ok = write_section(&k, true) && write_section(&k, false);
	name_host(&k);
	if (opt->format == TG_CUDA) {
		name_streams(&k);
	} else {
		name_engines(&k);
	}
	put_tail(&k);
	return ok;
}

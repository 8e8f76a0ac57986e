/* Parts of the time; see parts.h. */
#include "report/view/parts.h"
#include "core/array.h"

static const struct tc_part gaudi_parts[] = {
	{TC_METRIC_MME_BUSY, "MME"},
	{TC_METRIC_TPC_EXCLUSIVE, "TPC, no MME"},
	{TC_METRIC_DMA_EXCLUSIVE, "DMA, no MME or TPC"},
	{TC_METRIC_NIC_EXCLUSIVE, "NIC alone"},
	{TC_METRIC_DEVICE_UNKNOWN, "unknown"},
};
static const struct tc_part other_parts[] = {
	{TC_METRIC_COMPUTE_BUSY, "compute"},
	{TC_METRIC_COMM_EXPOSED, "communication, exposed"},
	{TC_METRIC_COPY_EXCLUSIVE, "copies alone"},
	{TC_METRIC_DEVICE_UNKNOWN, "unknown"},
};

static const struct tc_host_part host_parts[] = {
	{TC_METRIC_HOST_DATALOADER_OWN, TC_METRIC_HOST_DATALOADER_EXPOSED, "data loader",
		"dataloader"},
	{TC_METRIC_HOST_INPUT_COPY_OWN, TC_METRIC_HOST_INPUT_COPY_EXPOSED, "input copy",
		"input_copy"},
	{TC_METRIC_HOST_COMPILE_OWN, TC_METRIC_HOST_COMPILE_EXPOSED, "compile", "compile"},
	{TC_METRIC_HOST_CPU_FALLBACK_OWN, TC_METRIC_HOST_CPU_FALLBACK_EXPOSED, "CPU fallback",
		"cpu_fallback"},
	{TC_METRIC_HOST_OUTPUT_COPY_OWN, TC_METRIC_HOST_OUTPUT_COPY_EXPOSED, "output copy",
		"output_copy"},
	{TC_METRIC_HOST_SYNC_OWN, TC_METRIC_HOST_SYNC_EXPOSED, "blocked on device", "sync"},
	{TC_METRIC_HOST_COLLECTIVE_OWN, TC_METRIC_HOST_COLLECTIVE_EXPOSED, "collectives",
		"collective"},
	{TC_METRIC_HOST_SETUP_OWN, TC_METRIC_HOST_SETUP_EXPOSED, "start-up, memory", "setup"},
	{TC_METRIC_HOST_LAUNCH_OWN, TC_METRIC_HOST_LAUNCH_EXPOSED, "launch", "launch"},
	{TC_METRIC_HOST_GRAPH_BUILD_OWN, TC_METRIC_HOST_GRAPH_BUILD_EXPOSED, "graph build",
		"graph_build"},
	{TC_METRIC_HOST_DISPATCH_OWN, TC_METRIC_HOST_DISPATCH_EXPOSED, "dispatch", "dispatch"},
	{TC_METRIC_HOST_OTHER_OWN, TC_METRIC_HOST_OTHER_EXPOSED, "other", "other"},
};

const struct tc_part *tc_device_parts(bool gaudi, size_t *count)
{
	*count = gaudi ? TC_COUNT_OF(gaudi_parts) : TC_COUNT_OF(other_parts);
	return gaudi ? gaudi_parts : other_parts;
}

const struct tc_host_part *tc_host_parts(size_t *count)
{
	*count = TC_COUNT_OF(host_parts);
	return host_parts;
}

struct tc_text tc_engine_title(struct tc_text name)
{
	static const struct {
		const char *engine, *title;
	} engines[] = {{"mme", "MME"}, {"tpc", "TPC"}, {"dma", "DMA"}, {"nic", "NIC"}};

	for (size_t i = 0; i < TC_COUNT_OF(engines); i++)
		if (tc_text_equal(tc_text_from(engines[i].engine), name))
			return tc_text_from(engines[i].title);
	return name;
}

struct tc_text tc_part_title(struct tc_text name)
{
	for (size_t i = 0; i < TC_COUNT_OF(host_parts); i++)
		if (tc_text_equal(tc_text_from(host_parts[i].role), name))
			return tc_text_from(host_parts[i].name);
	return tc_engine_title(name);
}

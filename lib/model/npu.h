/*
 * Lanes and devices of Ascend NPUs, as torch_npu and msprof write them (trace_view.json,
 * msprof_*.json). The streams of a process "Ascend Hardware" run tasks of every kind, waits and
 * records among them; "Communication" ("HCCL" in older exports) has one slice a collective in its
 * groups, work of the same device. What "Overlap Analysis" and the planes of a group hold is said
 * again there, so these are no lanes.
 */
#ifndef TC_MODEL_NPU_H
#define TC_MODEL_NPU_H

#include "model/tracks.h"

/* The engine of a thread's lane: COMPUTE for a stream, whose tasks go by their names first
 * (tc_label.task_engine), COMMUNICATION for a group; NONE for what is no lane. */
enum tc_engine tc_npu_lane_engine(struct tc_text process_name, struct tc_text thread_name);

/*
 * Gives every process of an NPU its device, when all metadata is known: the label of the hardware
 * process ("NPU 0") where that tells it from others, else its pid; for communication that of the
 * hardware process it belongs to. False when memory is out.
 */
bool tc_npu_name_devices(struct tc_tracks *tracks);

#endif

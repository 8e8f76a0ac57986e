/*
 * See parts.h. What mends a program leaves the sizes of its weights as they are: another batch or
 * type, fused or compiled operators, graphs, another loader. So two runs do the same work where
 * their matrix products and convolutions have the same weights in like shares of the calls.
 */
#include "report/compare/parts.h"

#include "names/hardware/hardware.h"

/* With less of the calls in common than this part, the work is another. Recordings of one model
 * have nine tenths and more in common, on devices of two vendors, too; those of two models less
 * than a tenth, by chance. A change of batch and length at once still leaves about half: gradients
 * of weights and products of attention have other sizes then, the layers have not. */
#define LEAST_COMMON 0.25

void tc_compare_weights_load(struct tc_compare *compare)
{
	bool has[TC_COMPARE_SIDES] = {false, false};
	double common = 0;
	struct tc_pairs pairs;

	tc_pairs_open(&pairs, compare, TC_QUERY_WEIGHTS, 1);
	while (tc_pairs_next(&pairs)) {
		double shares[TC_COMPARE_SIDES] = {0, 0};
		for (int side = 0; side < TC_COMPARE_SIDES; side++) {
			if (!pairs.has[side])
				continue;
			has[side] = true;
			shares[side] = (double)tc_rows_int(&pairs.rows[side], 1) /
				       (double)tc_rows_int(&pairs.rows[side], 2);
		}
		common +=
			shares[TC_BEFORE] < shares[TC_AFTER] ? shares[TC_BEFORE] : shares[TC_AFTER];
	}
	compare->common_weights = has[TC_BEFORE] && has[TC_AFTER] ? common : -1;
}

bool tc_work_other_weights(const struct tc_compare *compare)
{
	return compare->common_weights >= 0 && compare->common_weights < LEAST_COMMON;
}

bool tc_site_other_vendor(const struct tc_site *before, const struct tc_site *after)
{
	return before->vendor.len > 0 && after->vendor.len > 0 &&
	       !tc_text_equal(before->vendor, after->vendor);
}

/* One device may have several names, such as one with its maker and one without. */
bool tc_site_other_device(const struct tc_site *before, const struct tc_site *after)
{
	if (before->device.len == 0 || after->device.len == 0 ||
		tc_text_equal(before->device, after->device))
		return false;
	const struct tc_hardware *hardware = tc_hardware_find(before->device, 0);
	return !hardware || hardware != tc_hardware_find(after->device, 0);
}

bool tc_site_other_ranks(const struct tc_site *before, const struct tc_site *after)
{
	return before->rank_count > 0 && after->rank_count > 0 &&
	       before->rank_count != after->rank_count;
}

/* Devices that one process uses may be ranks of another run, which then says how many. */
bool tc_site_other_device_count(const struct tc_site *before, const struct tc_site *after)
{
	return before->rank_count <= 0 && after->rank_count <= 0 && before->device_count > 0 &&
	       after->device_count > 0 && before->device_count != after->device_count;
}

/* One model on another device, or on more of them, does the same work, where its shapes show that
 * it is one model. Other devices and another number of them are another job. */
bool tc_site_is_other(const struct tc_site *before, const struct tc_site *after, bool is_same_model)
{
	int difference_count =
		(tc_site_other_vendor(before, after) || tc_site_other_device(before, after)) +
		(tc_site_other_ranks(before, after) || tc_site_other_device_count(before, after));

	return difference_count > (is_same_model ? 1 : 0);
}

struct tc_site tc_site_of(const struct tc_compare *compare, enum tc_compare_index side)
{
	const struct tc_view *view = compare->sides[side].view;

	return (struct tc_site){view->vendor, view->device_name, view->world_size,
		tc_metric(&view->whole.run, TC_METRIC_DEVICE_COUNT)};
}

bool tc_is_other_work(const struct tc_compare *compare)
{
	const struct tc_site before = tc_site_of(compare, TC_BEFORE),
			     after = tc_site_of(compare, TC_AFTER);

	return !compare->result.unlike &&
	       (tc_work_other_weights(compare) ||
		       tc_site_is_other(&before, &after, compare->common_weights >= 0));
}

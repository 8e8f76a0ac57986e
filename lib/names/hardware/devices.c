/* Devices by name; see devices.h. */
#include "names/hardware/devices.h"

#include "core/array.h"
#include "names/pattern.h"

#define ANY (-1)

static const struct device {
	const char *pattern, *vendor, *architecture;
} devices[] = {
#define TC_DEVICE(pattern, vendor, architecture) {pattern, vendor, architecture},
#include "names/hardware/devices.def"
};

static const struct {
	int64_t major, minor;
	const char *architecture;
} capabilities[] = {
#define TC_CAPABILITY(major, minor, architecture) {major, minor, architecture},
#include "names/hardware/devices.def"
};

static const struct device *find(struct tc_text name)
{
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(devices); i++)
		if (tc_pattern_match(devices[i].pattern, name))
			return &devices[i];
	return NULL;
}

const char *tc_device_vendor(struct tc_text name)
{
	const struct device *device = find(name);

	return device ? device->vendor : NULL;
}

static bool is_of_capability(const char *architecture)
{
	for (size_t i = 0; i < TC_COUNT_OF(capabilities); i++)
		if (strcmp(capabilities[i].architecture, architecture) == 0)
			return true;
	return false;
}

const char *tc_device_architecture(
	const char *vendor, struct tc_text name, int64_t major, int64_t minor)
{
	const struct device *device = find(name);
	bool is_cuda = vendor ? strcmp(vendor, "cuda") == 0
			      : device && strcmp(device->vendor, "cuda") == 0;

	if (is_cuda && device && device->architecture && !is_of_capability(device->architecture))
		return device->architecture;
	for (size_t i = 0; is_cuda && i < TC_COUNT_OF(capabilities); i++)
		if (capabilities[i].major == major &&
			(capabilities[i].minor == ANY || capabilities[i].minor == minor))
			return capabilities[i].architecture;
	if (!device || (vendor && strcmp(vendor, device->vendor) != 0))
		return NULL;
	return device->architecture;
}

/* The version of yajl that runs. */
#include "decode/json/version.h"

#include <yajl/yajl_version.h>

/* yajl gives one number, 20100 for 2.1.0; each part has two digits at most. Written once by
 * whoever asks first; a later writer writes the same bytes. */
const char *tc_yajl_version(void)
{
	static char text[sizeof("99.99.99")];
	int version = yajl_version();
	const int parts[] = {version / 10000 % 100, version / 100 % 100, version % 100};
	char *p = text;

	for (int i = 0; i < 3; i++) {
		if (i > 0)
			*p++ = '.';
		if (parts[i] >= 10)
			*p++ = (char)('0' + parts[i] / 10);
		*p++ = (char)('0' + parts[i] % 10);
	}
	return text;
}

/* Runs a fuzz target over the files of directories, without a fuzzer: replay DIRECTORY... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t capacity = 1 << 20, len = 0;
	uint8_t *data = malloc(capacity);

	if (!file || !data) {
		fprintf(stderr, "replay: cannot read %s\n", path);
		exit(1);
	}
	len = fread(data, 1, capacity, file);
	fclose(file);
	uint8_t *fitting = realloc(data, len ? len : 1);
	LLVMFuzzerTestOneInput(fitting ? fitting : data, len);
	free(fitting ? fitting : data);
}

int main(int argc, char **argv)
{
	int file_count = 0;

	setenv("TC_FUZZ_ALL", "1", 1); /* each seed tries everything: harness.h */
	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		for (struct dirent *entry; dir && (entry = readdir(dir));) {
			char path[4096];
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			replay_file(path);
			file_count++;
		}
		if (dir)
			closedir(dir);
	}
	printf("replay: %d files\n", file_count);
	return file_count > 0 ? 0 : 1;
}

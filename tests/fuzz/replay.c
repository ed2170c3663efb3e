/*
 * Runs a fuzz target over saved inputs, without libFuzzer: replay FOLDER|FILE... Prints a TAP line
 * a file, so that every saved input counts as a test. A crash or a sanitizer report ends the
 * program, and the last line printed names the input before it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int nrun;

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, cap = 0;

	if (!f) {
		printf("not ok %d - %s: %s\n", ++nrun, path, strerror(errno));
		return 1;
	}
	for (size_t got = 1; got > 0; n += got) {
		if (n + 65536 > cap) {
			uint8_t *more = realloc(data, cap = (n + 65536) * 2);
			if (!more)
				abort();
			data = more;
		}
		got = fread(data + n, 1, 65536, f);
	}
	fclose(f);
	/* A copy of exactly n bytes: a read behind the end is then seen by the sanitizer. */
	uint8_t *exact = malloc(n ? n : 1);
	if (!exact)
		abort();
	memcpy(exact, data, n);
	free(data);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	printf("ok %d - %s\n", ++nrun, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	fflush(stdout);
	return 0;
}

static int replay_path(const char *path)
{
	struct stat st;
	struct dirent **names;
	int bad = 0, n;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return replay_file(path);
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *sub = NULL;
		if (names[i]->d_name[0] != '.' &&
		    asprintf(&sub, "%s/%s", path, names[i]->d_name) > 0)
			bad |= replay_path(sub);
		free(sub);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= replay_path(argv[i]);
	if (!nrun) { /* an empty corpus still has the empty input */
		LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
		printf("ok 1 - empty input\n");
		nrun = 1;
	}
	printf("1..%d\n", nrun);
	return bad;
}

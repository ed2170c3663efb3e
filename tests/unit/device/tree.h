/* A folder of files for a test: a /proc or /sys of its own. */
#ifndef T_FEED_TREE_H
#define T_FEED_TREE_H
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char root[64];
};

static inline void tree_make(struct tree *t)
{
	*t = (struct tree){ .root = "/tmp/t-feed-tree-XXXXXX" };
	assert_non_null(mkdtemp(t->root));
}

/* one of eight buffers in turns */
static inline const char *tree_at(const struct tree *t, const char *path)
{
	static char buf[8][512];
	static unsigned turn;
	char *p = buf[turn++ % 8];

	snprintf(p, sizeof buf[0], "%s/%s", t->root, path);
	return p;
}

static inline void tree_put(struct tree *t, const char *path, const char *text)
{
	char *full = strdup(tree_at(t, path));
	FILE *f;

	for (char *p = full + strlen(t->root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(full, 0755);
		*p = '/';
	}
	assert_non_null(f = fopen(full, "w"));
	fputs(text, f);
	fclose(f);
	free(full);
}

static inline void tree_rm(struct tree *t, const char *path)
{
	assert_int_equal(unlink(tree_at(t, path)), 0);
}

static inline int tree_unlink_(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static inline void tree_free(struct tree *t)
{
	nftw(t->root, tree_unlink_, 16, FTW_DEPTH | FTW_PHYS);
}

#endif

#ifndef TARE_ANSWER_VIEWS_H
#define TARE_ANSWER_VIEWS_H
/*
 * Saved views: a name for the options of a report. People write them into the settings (views:);
 * `tare report --save` keeps its own in views.yaml beside them.
 */
#include "base/err.h"
#include "base/mem.h"
#include "ledger/conf.h"

enum views_file { VIEWS_SETTINGS, VIEWS_SAVED, VIEWS_FILE_N };

struct views {
	const char *path[VIEWS_FILE_N]; /* NULL: there is none */
	struct conf conf[VIEWS_FILE_N];
	const char *saved; /* where views.yaml is or will be */
};
/* An option and its values, as they were given; a value of NULL: one that takes none. */
struct view_option {
	const char *name;
	const char *const *value; /* [n] */
	size_t n;
};

/* settings is `named` where somebody asked for that file: then it has to be there. The paths have
 * to live as long. views_free() after 0. */
int views_load(const char *settings, bool named, const char *saved, struct views *ret,
	       struct err *err);
void views_free(struct views *v);
/* The view, and the file that it is in; NULL: none of that name. */
const struct conf_view *views_find(const struct views *v, const char *name,
				   enum views_file *ret_file);
/* -ENOENT, with what may have been meant. */
int views_unknown(const struct views *v, const char *name, struct err *err);
/* -EINVAL where that is no name of a view; option: "save" or "forget". */
int views_check_name(const char *name, const char *option, struct err *err);
/* views.yaml, and its folder, with all that is in it but `name`, and with these options as `name`
 * where there are any. */
int views_write(const struct views *v, const char *name, const struct view_option *opt, size_t n,
		struct err *err);

#endif

/* Run: the folder that a framework writes checkpoints into by itself: looked at, and what the
 * machine wants of it handed to the thread that saves. */
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/tm.h"
#include "run/run_loop.h"

static void copy_list(const struct run_files *from, struct run_files *to)
{
	run_files_free(to);
	*to = (struct run_files){ 0 };
	for (size_t i = 0; i < from->v.n; i++) {
		*vec_push(&to->v) = from->v.v[i];
		to->v.v[i].name = arena_sv(&to->mem, sv_of(from->v.v[i].name));
	}
}

void run_folder_scan(struct run *r, bool final)
{
	struct run_folder *f = &r->folder;
	struct err err;
	struct run_event e = { .kind = RUN_EV_FOLDER,
			       .folder = { .at = tm_mono_ms(), .final = final } };

	run_files_free(&f->found);
	if (run_files_read(r->o->watch, r->o->glob, &f->found, &err) < 0) {
		f->found = (struct run_files){ 0 };
		e.folder.problem = err.msg;
		run_feed(r, &e);
		return;
	}
	e.folder.files = (int)f->found.v.n;
	e.folder.same_seen = run_files_same(&f->found, &f->seen);
	e.folder.same_kept = run_files_same(&f->found, &f->kept);
	e.folder.step = run_files_step(&f->found, &f->kept, &e.folder.least);
	copy_list(&f->found, &f->seen);
	/* before these are copied, and opened by us */
	if (r->o->drill && e.folder.step >= 0 && e.folder.least >= 0)
		e.folder.opened = run_folder_opened(r);
	run_feed(r, &e);
}

void run_folder_check(struct run *r)
{
	struct run_event e = { .kind = RUN_EV_QUIET };

	e.open = run_files_open(r->o->watch, &r->folder.found);
	run_feed(r, &e);
}

void run_folder_commit(struct run *r, int64_t step)
{
	copy_list(&r->folder.found, &r->folder.committing);
	run_save_begin(&r->save, RUN_JOB_COMMIT, step, INT64_MAX, &r->folder.found);
}

void run_folder_keep(struct run *r)
{
	run_files_free(&r->folder.kept);
	r->folder.kept = r->folder.committing;
	r->folder.committing = (struct run_files){ 0 };
}

void run_folder_restored(struct run *r)
{
	struct run_files *kept = &r->folder.kept;
	struct err err;

	run_files_free(kept);
	if (r->restored.step < 0 || run_files_read(r->o->watch, r->o->glob, kept, &err) < 0)
		*kept = (struct run_files){ 0 };
}

/* The numbers in the names of its next files may be times of day; that it opens one of those that
 * were put back says more. Nobody else opens them before its first save is copied. */
void run_folder_note_opens(struct run *r)
{
	const struct run_files *kept = &r->folder.kept;
	char path[4400];

	r->folder.look_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	for (size_t i = 0; r->folder.look_fd >= 0 && i < kept->v.n; i++) {
		snprintf(path, sizeof path, "%s/%s", r->o->watch, kept->v.v[i].name);
		/* one that is gone is opened by nobody */
		(void)inotify_add_watch(r->folder.look_fd, path, IN_OPEN);
	}
}

bool run_folder_opened(struct run *r)
{
	/* aligned for the events; the names of files that are watched themselves are empty */
	struct inotify_event e[64];
	bool opened = false;
	ssize_t n;

	if (r->folder.look_fd < 0)
		return false;
	while ((n = read(r->folder.look_fd, e, sizeof e)) > 0)
		for (size_t i = 0; i < (size_t)n / sizeof *e; i++)
			opened |= (e[i].mask & IN_OPEN) != 0;
	close(r->folder.look_fd);
	r->folder.look_fd = -1;
	return opened;
}

void run_folder_free(struct run *r)
{
	struct run_folder *f = &r->folder;

	run_files_free(&f->seen);
	run_files_free(&f->kept);
	run_files_free(&f->committing);
	run_files_free(&f->found);
	if (f->look_fd >= 0)
		close(f->look_fd);
}

/* Manifests that should be there and are not: what lies beside them tells. Each of these signs is
 * durable only after the manifest was, so that no power cut and no kill leaves one alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "ckpt/ckpt_priv.h"

#define NONE_YET "none-yet"
#define ID_CHARS 29

/* The id that DIR/latest names, "" where it names none: a power cut may have cut it, and it may be
 * of an older one. */
static int read_latest(struct ckpt_dir *d, char ret[CKPT_ID_BYTES], struct err *err)
{
	static const int says_nothing[] = { ENOENT, EBADMSG, ELOOP, EFBIG, EIO, ENXIO };
	struct str text = { 0 };
	int rc = ckpt_slurp(d->fd, "latest", 64, &text, err);
	struct sv id = sv_trim(str_sv(&text));

	ret[0] = 0;
	if (rc == 0 && ckpt_id_ok(id))
		snprintf(ret, CKPT_ID_BYTES, "%.*s", SVF(id));
	str_free(&text);
	for (size_t i = 0; i < sizeof says_nothing / sizeof *says_nothing; i++)
		if (rc == -says_nothing[i])
			return 0;
	return rc;
}

static bool has_none_yet(const struct ckpt_dir *d)
{
	struct stat st;

	return fstatat(d->fd, NONE_YET, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* The greatest id in the names of whole data files, "" where there are none. */
static int newest_data(struct ckpt_dir *d, char ret[CKPT_ID_BYTES], struct err *err)
{
	int at = d->data_fd < 0 ? -1 : openat(d->data_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = at < 0 ? NULL : fdopendir(at);
	int failed = dir || d->data_fd < 0 ? 0 : errno;
	struct dirent *e;

	ret[0] = 0;
	if (!dir && at >= 0)
		close(at);
	while (dir && (e = dir_next(dir))) {
		struct sv name = sv_of(e->d_name);
		bool whole = name.n > ID_CHARS + 1 && name.p[ID_CHARS] == '.' &&
			     ckpt_id_ok((struct sv){ name.p, ID_CHARS }) &&
			     !sv_ends(name, SV(".tmp"));
		if (whole && strncmp(name.p, ret, ID_CHARS) > 0)
			snprintf(ret, CKPT_ID_BYTES, "%.*s", ID_CHARS, name.p);
	}
	if (dir)
		failed = errno;
	if (dir)
		closedir(dir);
	if (failed)
		return err_set(err, -failed, "cannot list '%s/data': %s", d->path,
			       strerror(failed));
	return 0;
}

static int look_once(struct ckpt_dir *d, struct ckpt_list *l, char ret_lost[CKPT_ID_BYTES],
		     struct err *err)
{
	char told[CKPT_ID_BYTES];
	int rc = read_latest(d, told, err); /* first: a writer may be at work */

	ret_lost[0] = 0;
	if (rc == 0)
		rc = ckpt_list(d, l, err);
	if (rc < 0)
		return rc;
	if (told[0] && (!l->v.n || strcmp(told, l->v.v[0].id) > 0))
		memcpy(ret_lost, told, sizeof told);
	else if (!l->v.n && !has_none_yet(d) && (rc = newest_data(d, ret_lost, err)) == 0 &&
		 !ret_lost[0]) {
		/* A run was counted, which comes after `none-yet`: step 0 of that run stands for
		 * what nobody knows of. "" where none was. */
		struct str attempt = { 0 };
		struct stat st;
		uint64_t run = 0;

		ret_lost[0] = 0;
		ckpt_run_read(d, &run, &attempt);
		if (fstatat(d->fd, "run", &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			snprintf(ret_lost, CKPT_ID_BYTES, "%012d-%016" PRIx64, 0, run);
		str_free(&attempt);
	}
	return rc;
}

int ckpt_list_lost(struct ckpt_dir *d, struct ckpt_list *l, char ret_lost[CKPT_ID_BYTES],
		   struct err *err)
{
	enum { TRIES = 5 };
	char before[CKPT_ID_BYTES] = "";
	int rc = 0;

	/* a listing that ran beside commits and removals may have missed the newest */
	for (int i = 0; i < TRIES; i++) {
		rc = look_once(d, l, ret_lost, err);
		if (rc < 0 || !ret_lost[0] || !strcmp(before, ret_lost))
			break;
		memcpy(before, ret_lost, sizeof before);
	}
	return rc;
}

int ckpt_lost_note(struct ckpt_dir *d, struct err *err)
{
	struct ckpt_list l = { 0 };
	char lost[CKPT_ID_BYTES];
	int rc = ckpt_list_lost(d, &l, lost, err);

	if (rc == 0 && lost[0])
		rc = ckpt_spit(d->ckpt_fd, lost, SV(CKPT_LOST), err);
	else if (rc == 0 && !l.v.n && !has_none_yet(d))
		rc = ckpt_spit(d->fd, NONE_YET, SV("1\n"), err);
	else if (rc == 0 && l.v.n)
		rc = ckpt_lost_begun(d, err);
	ckpt_list_free(&l);
	return rc;
}

int ckpt_lost_begun(struct ckpt_dir *d, struct err *err)
{
	if (unlinkat(d->fd, NONE_YET, 0) == 0)
		return ckpt_sync_dir(d->fd, NONE_YET, err);
	return 0;
}

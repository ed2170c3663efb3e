#ifndef TARE_PROFILE_PROFILE_FILE_H
#define TARE_PROFILE_PROFILE_FILE_H
/*
 * The readings of a run, kept in DIR/profiles so that they can be asked about later:
 *
 *   ID.samples.csv.zst   readings of the GPUs, native `samples` (tare import reads it), with the
 *                        columns of opt/diagnose/diagnose.h behind; a row a device and tick
 *   ID.host.csv.zst      processor, memory and disk of the command and its machine; a row a tick
 *   ID.json              one line: the command, the devices, the price, how it ended
 *                        ("schema":"tare.profile-run/1")
 *
 * Rows are appended at least once a minute, each time as a zstd frame of its own, and ID.json is
 * written again, so that a kill leaves what was read. The job of rows in which the command was on
 * the device is its Slurm job, else ID; other rows have none.
 */
#include "profile/profile.h"

struct profile_file;
/* Makes the folder and a new ID ("p-20261121-155123", with -2 ... where there are several in a
 * second), which p->id is then. */
int profile_file_create(const char *dir, struct profile *p, struct profile_file **ret,
			struct err *err);
/* what was added since the last call */
int profile_file_tick(struct profile_file *f, struct profile *p, struct err *err);
/* the rest, and ID.json; frees f in any case */
int profile_file_end(struct profile_file *f, const struct profile *p, struct err *err);
void profile_file_drop(struct profile_file *f); /* remove what was written; NULL is fine */
/* is it the name of a file that tare wrote: ID and one of its endings? */
bool profile_file_is_ours(const char *name);

/* path: of ID.json, of one of the others, or without any ending. -ENOENT where it is none; -EBADMSG
 * with file and line for what is no run. */
int profile_file_read(const char *path, struct profile *ret, struct err *err);
/* The path of a run by its ID in DIR/profiles, "last" for the newest; in arena a, NULL where there
 * is no such. */
const char *profile_file_path(const char *dir, const char *id, struct arena *a);

/* The line of ID.json (profile_meta.c). */
void profile_meta(const struct profile *p, struct str *out);
/* The pieces of profile_file_read(), for tests and the fuzzer: the line of ID.json; rows of the
 * others. */
int profile_meta_parse(const char *name, struct sv text, struct profile *ret, struct err *err);
struct input;
int profile_samples_read(struct input *in, struct profile *p, struct err *err);
int profile_host_read(struct input *in, struct profile *p, struct err *err);

#endif

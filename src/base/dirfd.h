#ifndef TARE_BASE_DIRFD_H
#define TARE_BASE_DIRFD_H
/*
 * Files with fixed names in a folder that is written by one program (the agent's, one of
 * checkpoints) and may be another user's to write in: they are opened from the folder's descriptor,
 * a symbolic link in their place is an error instead of a way to a file elsewhere, and so is
 * whatever else is no plain file (a pipe would hold up who opens it).
 *
 * dir_fd: of the folder, from dir_open() (AT_FDCWD is the current one); dir: its path, for
 * messages. name: without a '/'. The folder itself may be reached through links.
 */
#include "base/err.h"
#include "base/str.h"

/* A descriptor for the functions below, also of a folder that may not be listed. Closed by the
 * caller with close(). >= 0, or a negative errno with the sentence. */
int dir_open(const char *dir, struct err *err);

/* A folder in it, not through a link either. */
int dir_open_in(int dir_fd, const char *dir, const char *name, struct err *err);

/*
 * flags: O_RDONLY, O_WRONLY or O_RDWR with O_CREAT, O_EXCL, O_TRUNC, O_APPEND as open(2) has them;
 * O_CLOEXEC comes by itself. mode: of a file that is made. Nothing is cut (O_TRUNC) before it is
 * known to be a plain file.
 *
 * Returns the descriptor, or a negative errno with the sentence: -ELOOP is a symbolic link, -EINVAL
 * something else that is no plain file, -ENOENT and the others as open(2).
 */
int file_open_in(int dir_fd, const char *dir, const char *name, int flags, unsigned mode,
		 struct err *err);

/* All of the file behind what *ret has. -E2BIG where it has more than max bytes (then *ret is as it
 * was), else as file_open_in(). */
int file_read_in(int dir_fd, const char *dir, const char *name, size_t max, struct str *ret,
		 struct err *err);

/*
 * Put a file of `text` in the place of `name`: written beside it ("NAME.new", made again with
 * `mode` whatever lay there), fsync, rename, fsync of the folder, so that there is the old one or
 * the whole new one, and after this has returned the new one, whatever happens to the power. A link
 * in place of `name` is replaced, what it names is not touched. 0, or a negative errno with the
 * sentence: it is the old one then, or the new one where only the folder's fsync failed.
 */
int file_replace_in(int dir_fd, const char *dir, const char *name, struct sv text, unsigned mode,
		    struct err *err);

/* The names in the folder are durable: what was made, renamed or removed in it. Some file systems
 * (FUSE, CIFS) have no fsync of one: then it is as safe as they make it, and 0. */
int dir_sync(int dir_fd);

#endif

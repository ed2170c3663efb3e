#ifndef TARE_TOP_TOP_SCREEN_H
#define TARE_TOP_TOP_SCREEN_H
/*
 * The terminal, through ncurses: shows a grid by sending only the cells that changed, gives keys,
 * survives resize, Ctrl-Z and fg. One at a time. The terminal is put back on close, and by the
 * handlers of signals that end the program.
 */
#include "top/top_cells.h"
#include "base/err.h"

/* -ENOTTY: no terminal, or one of an unknown kind. */
int top_screen_open(bool colour, struct err *err);
void top_screen_close(void);
void top_screen_size(int *ret_w, int *ret_h);
/* Send what is different from the last grid shown. A grid of another size than the screen's is cut
 * or leaves the rest blank. */
void top_screen_show(const struct cells *g);
/*
 * Wait for a key at most timeout_ms (< 0: for ever) or until something can be read from wake_fd
 * (-1: none). Returns a key (enum top_key), 0: time or wake, or -EINTR: a signal asks to end, see
 * top_screen_signal().
 */
int top_screen_key(int wake_fd, int64_t timeout_ms);
int top_screen_signal(void); /* the signal that asked, 0 = none */

#endif

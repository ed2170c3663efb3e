/* See top_screen.h. */
#include "top/top_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <ncurses.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include "base/str.h"
#include "top/top_ui.h"

/* Signals are blocked but for the wait, so that none falls between a look at the flags and the
 * wait. */
static volatile sig_atomic_t got_end, got_winch, got_tstp, got_cont;
static sigset_t unblocked;
static struct termios before;
/* what puts the terminal back, for handlers that may call nothing but write() */
static char leave[256];
static size_t nleave;
static bool is_open, coloured;
static struct cells shown;

static const int END[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int CRASH[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int OTHER[] = { SIGWINCH, SIGTSTP, SIGCONT };
#define COUNT(a) (sizeof(a) / sizeof *(a))

static void on_signal(int sig)
{
	if (sig == SIGWINCH)
		got_winch = 1;
	else if (sig == SIGTSTP)
		got_tstp = 1;
	else if (sig == SIGCONT)
		got_cont = 1;
	else
		got_end = sig;
}

static void on_crash(int sig)
{
	ssize_t r = write(STDOUT_FILENO, leave, nleave);
	(void)r;
	tcsetattr(STDOUT_FILENO, TCSANOW, &before);
	raise(sig); /* SA_RESETHAND: now for real */
}

static void set_handler(int sig, void (*f)(int), int flags)
{
	struct sigaction sa = { .sa_handler = f, .sa_flags = flags };
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void take_signals(void)
{
	for (size_t i = 0; i < COUNT(END); i++)
		set_handler(END[i], on_signal, 0);
	for (size_t i = 0; i < COUNT(OTHER); i++)
		set_handler(OTHER[i], on_signal, 0);
	for (size_t i = 0; i < COUNT(CRASH); i++)
		set_handler(CRASH[i], on_crash, (int)SA_RESETHAND);
}

static void add_leave(const char *cap)
{
	const char *s = tigetstr((NCURSES_CONST char *)cap);
	if (!s || s == (char *)-1)
		return;
	size_t n = strlen(s);
	if (nleave + n < sizeof leave) {
		memcpy(leave + nleave, s, n);
		nleave += n;
	}
}

static attr_t attr_of(unsigned style, short *ret_pair)
{
	attr_t a = style & STYLE_SELECTED ? A_REVERSE : A_NORMAL;
	/* the selected line is of one colour */
	bool c = coloured && has_colors() && !(style & STYLE_SELECTED);
	*ret_pair = 0;
	switch (style & ~(unsigned)STYLE_SELECTED) {
	case STYLE_DIM: return a | A_DIM;
	case STYLE_BOLD:
	case STYLE_KEY: return a | A_BOLD;
	case STYLE_HEAD: return a | A_REVERSE;
	case STYLE_GOOD: *ret_pair = c ? 1 : 0; return a;
	case STYLE_WASTE:
	case STYLE_BAD: *ret_pair = c ? 2 : 0; return a | A_BOLD;
	default: return a;
	}
}

int top_screen_open(bool colour, struct err *err)
{
	const char *term = getenv("TERM");
	int bad = 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, -ENOTTY, "tare top wants a terminal");
	if (setupterm(NULL, STDOUT_FILENO, &bad) != OK || tcgetattr(STDOUT_FILENO, &before) < 0) {
		err_set(err, -ENOTTY, "the terminal '%s' is not known to this machine",
			text_or(term, ""));
		err_hint(err, "try TERM=xterm tare top, or tare top --once");
		return -ENOTTY;
	}
	if (!cursor_address) { /* "dumb": an editor's, a log's */
		err_set(err, -ENOTTY,
			"the terminal '%s' cannot show a page: it does not place its cursor",
			text_or(term, ""));
		err_hint(err, "tare top --once prints the same once; or try TERM=xterm tare top");
		return -ENOTTY;
	}
	/* Before ncurses puts up its own handlers: it leaves alone what has one. */
	take_signals();

	sigset_t s;
	sigemptyset(&s);
	for (size_t i = 0; i < COUNT(END); i++)
		sigaddset(&s, END[i]);
	for (size_t i = 0; i < COUNT(OTHER); i++)
		sigaddset(&s, OTHER[i]);
	pthread_sigmask(SIG_BLOCK, &s, &unblocked);
	got_end = got_winch = got_tstp = got_cont = 0;
	nleave = 0;
	add_leave("sgr0");
	add_leave("cnorm");
	add_leave("rmkx");
	add_leave("rmcup");
	coloured = colour;
	if (!newterm(NULL, stdout, stdin))
		return err_set(err, -ENOTTY, "the terminal '%s' cannot show a page",
			       text_or(term, ""));
	is_open = true;
	take_signals(); /* and again over what it put up all the same */
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);

	/* Blue and orange are told apart by everybody; terminals of 8 colours have cyan and yellow,
	 * which are too. */
	if (coloured && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(1, COLORS >= 256 ? 75 : COLOR_CYAN, -1);
		init_pair(2, COLORS >= 256 ? 208 : COLOR_YELLOW, -1);
	}

	refresh();
	return 0;
}

void top_screen_close(void)
{
	if (!is_open)
		return;
	is_open = false;
	endwin();
	cells_free(&shown);
	for (size_t i = 0; i < COUNT(CRASH); i++)
		signal(CRASH[i], SIG_DFL);
	for (size_t i = 0; i < COUNT(END); i++)
		signal(END[i], SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &unblocked, NULL);
}

void top_screen_size(int *ret_w, int *ret_h)
{
	*ret_w = COLS;
	*ret_h = LINES;
}

/* Runs of cells of one style go out in one call. */
static void put_run(const struct cells *g, int y, int x, int end)
{
	static wchar_t text[1001];
	const struct cell *c = &g->cell[(size_t)y * (size_t)g->w];
	while (x < end) {
		int n = 0, from = x;
		short pair;
		attr_t a = attr_of(c[x].style, &pair);
		for (; x < end && c[x].style == c[from].style; x++)
			if (c[x].ch)
				text[n++] = c[x].ch;
		text[n] = 0;
		attr_set(a, pair, NULL);
		mvaddnwstr(y, from, text, n);
	}
}

static bool is_same_cell(const struct cells *g, int y, int x)
{
	size_t at = (size_t)y * (size_t)g->w + (size_t)x;
	return shown.cell[at].ch == g->cell[at].ch && shown.cell[at].style == g->cell[at].style;
}

void top_screen_show(const struct cells *g)
{
	bool all = shown.w != g->w || shown.h != g->h;
	if (all) {
		cells_free(&shown);
		cells_init(&shown, g->w, g->h, g->utf8);
		erase(); /* of the picture in memory: ncurses sends what differs */
	}
	for (int y = 0; y < g->h && y < LINES; y++) {
		for (int x = 0; x < g->w;) {
			if (!all && is_same_cell(g, y, x)) {
				x++;
				continue;
			}
			int end = x + 1, from = x;
			while (end < g->w && (all || !is_same_cell(g, y, end)))
				end++;
			/* never half a wide character */
			while (from > 0 && !g->cell[(size_t)y * (size_t)g->w + (size_t)from].ch)
				from--;
			while (end < g->w && !g->cell[(size_t)y * (size_t)g->w + (size_t)end].ch)
				end++;
			put_run(g, y, from, end);
			x = end;
		}
	}
	memcpy(shown.cell, g->cell, (size_t)g->w * (size_t)g->h * sizeof *g->cell);
	refresh();
}

/* ---- keys and signals -------------------------------------------------------------------- */

/* What is there already, or 0. */
static int read_key(void)
{
	wint_t c;
	if (got_end)
		return -EINTR;
	if (got_tstp) {
		got_tstp = 0;
		endwin();
		signal(SIGTSTP, SIG_DFL);
		sigset_t s;
		sigemptyset(&s);
		sigaddset(&s, SIGTSTP);
		raise(SIGTSTP); /* pending, until unblocked: stops here */
		pthread_sigmask(SIG_UNBLOCK, &s, NULL);
		pthread_sigmask(SIG_BLOCK, &s, NULL);
		set_handler(SIGTSTP, on_signal, 0);
		got_cont = 1;
		got_winch = 1; /* the window may have another size by now */
	}
	if (got_winch || got_cont) {
		if (got_winch) {
			struct winsize ws;
			got_winch = 0;
			bool told = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_row &&
				    ws.ws_col;
			if (told && (ws.ws_row != LINES || ws.ws_col != COLS))
				resizeterm(ws.ws_row, ws.ws_col);
		}
		if (got_cont) {
			/* After the program was stopped the shell has used the terminal: everything
			 * is sent again. */
			got_cont = 0;
			reset_prog_mode();
			cells_free(&shown);
			redrawwin(stdscr);
			refresh();
		}
		return KEYP_RESIZE;
	}
	int r = get_wch(&c);
	if (r == ERR)
		return 0;

	static const struct {
		wint_t from;
		int to;
	} key[] = {
		{ KEY_UP, KEYP_UP },         { KEY_DOWN, KEYP_DOWN },
		{ KEY_PPAGE, KEYP_PGUP },    { KEY_NPAGE, KEYP_PGDN },
		{ KEY_HOME, KEYP_HOME },     { KEY_END, KEYP_END },
		{ KEY_ENTER, KEYP_ENTER },   { KEY_BACKSPACE, KEYP_BACKSPACE },
		{ KEY_RESIZE, KEYP_RESIZE },
	};
	if (r == KEY_CODE_YES) {
		for (size_t i = 0; i < COUNT(key); i++)
			if (key[i].from == c)
				return key[i].to;
		return KEYP_NONE;
	}
	if (c == '\r')
		return KEYP_ENTER;
	if (c >= 0x110000)
		return KEYP_NONE;
	return (int)c;
}

int top_screen_key(int wake_fd, int64_t timeout_ms)
{
	struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
			       { .fd = wake_fd, .events = POLLIN } };
	struct timespec ts = { timeout_ms / 1000, timeout_ms % 1000 * 1000000 };
	int left, k = read_key();
	if (k)
		return k;
	nfds_t n = wake_fd >= 0 ? 2 : 1;
	int r = ppoll(p, n, timeout_ms < 0 ? NULL : &ts, &unblocked);
	/* The terminal is gone: it hangs up, and what is readable then is an end or an error for
	 * ever. */
	if (r > 0 && ((p[0].revents & (POLLHUP | POLLERR | POLLNVAL)) ||
		      ioctl(STDIN_FILENO, FIONREAD, &left) < 0)) {
		got_end = SIGHUP;
		return -EINTR;
	}
	if (r > 0 && !(p[0].revents & POLLIN))
		return 0;
	return read_key();
}

int top_screen_signal(void)
{
	return got_end;
}

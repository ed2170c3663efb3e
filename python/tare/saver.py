"""Saver: checkpoints that cannot be lost, from Python. The folder is that of docs/CHECKPOINT.md; layout.py says how a state lies in it."""
import ctypes
import errno
import json
import mmap
import operator
import os
import sys
from typing import Any, Callable, Dict, Optional, Tuple, Union

from . import layout, rng
from ._lib import Copy, Error, NotSaved, Options, Piece, Stats, byref, c_void_p, lib, text_buffer

PAGE, META_MAX = 4096, 1 << 20
Path = Union[str, "os.PathLike[str]", None]


def _env_int(name, otherwise):
    try:
        n = int(os.environ.get(name, ""))
    except ValueError:
        return otherwise
    return n if n >= 0 else otherwise


def _place(rank, world):
    if world is None:
        world, rank = _env_int("WORLD_SIZE", 1), _env_int("RANK", 0)
        if "WORLD_SIZE" not in os.environ and "RANK" not in os.environ:  # a task that srun started without torchrun; a batch script has no step
            world, rank = _env_int("SLURM_STEP_NUM_TASKS", 1), _env_int("SLURM_PROCID", 0)
        if world < 1 or rank >= world:
            rank, world = 0, 1
    return rank or 0, world


def _step(step):
    n = operator.index(step)  # no number with a fraction, no text
    if not 0 <= n < 10**12:
        raise ValueError("a step is between 0 and 999999999999, not %d" % n)
    return n


def _pad(n):
    return (n + PAGE - 1) // PAGE * PAGE


def _size(state):
    flat = layout.Flat(state, rng=rng.state())
    return _pad(flat.plan()[1]) + len(flat.text()) + PAGE


class Saver:
    """
    Saves states into a folder in the background, and loads the newest that holds.

      dir               folder of the checkpoints; None: TARE_CHECKPOINT_DIR, which `tare run` sets
      keep_last         checkpoints to keep; keep_every_hours: and one in each such interval
      rank, world       of several processes that save together, all or none; None: RANK and WORLD_SIZE, else those of the Slurm step
      attempt           token of this run, equal on all ranks and new after a restart; None: TARE_ATTEMPT
      threads           that write

    The folder belongs to one run at a time: opening it a second time is an Error. Use it from one thread.
    """

    def __init__(self, dir: Path = None, keep_last: int = 3, keep_every_hours: float = 0.0, rank: Optional[int] = None, world: Optional[int] = None,
                 attempt: Optional[str] = None, threads: int = 0, commit_wait_s: float = 600) -> None:
        self._s, self._pid = None, os.getpid()
        if keep_last < 1 or keep_every_hours < 0 or threads < 0 or commit_wait_s < 0:
            raise ValueError("keep_last is at least 1; keep_every_hours, threads and commit_wait_s are not negative")
        if (rank is None) != (world is None) or (world is not None and not 0 <= rank < world):
            raise ValueError("rank and world are given together, 0 <= rank < world, not rank=%r, world=%r" % (rank, world))
        self.rank, self.world = _place(rank, world)
        self._dir = os.fspath(dir) if dir is not None else None
        if self._dir and os.path.dirname(self._dir):
            os.makedirs(os.path.dirname(self._dir), exist_ok=True)
        o = Options(size=ctypes.sizeof(Options), dir=os.fsencode(self._dir) if self._dir else None, attempt=attempt.encode() if attempt else None,
                    rank=self.rank, world=self.world, threads=threads, keep_last=keep_last, keep_every_hours=keep_every_hours,
                    commit_wait_ms=int(commit_wait_s * 1000))
        said = text_buffer()
        self._s = lib().tare_saver_open(byref(o), said, len(said))
        if not self._s:
            raise Error(said.value.decode("utf-8", "replace"))
        self._last_step, self._failed = None, False

    # ---- saving

    def save(self, step: int, state: Any, meta: Optional[dict] = None, rng_state: bool = True, best: bool = False) -> None:
        """
        Save `state` (dicts and lists of tensors, arrays, bytes, text, numbers) as that of `step`. Returns when it is copied; change it as you like then.
        Raises NotSaved (an Error) for what became of the save before it, if that failed: this one is under way all the same, and nothing older was lost.
        meta: a small dict for people and tools. rng_state: the random generators too.
        best: keep it whatever its age, until another is the best.
        """
        step = _step(step)
        if state is None:
            raise TypeError("cannot save None: load_latest() says None where there is nothing")
        if meta is not None and not isinstance(meta, dict):
            raise TypeError("meta is a dict of what JSON can say, not a %s" % type(meta).__name__)
        if self._last_step is not None and step < self._last_step:
            raise ValueError("step %d after step %d: the newest checkpoint is that of the greatest step; resume from an older one in another folder" % (step, self._last_step))
        if best:
            self.keep_best(step)
        if step == self._last_step and not self._failed:  # asked for twice: it is under way or safe already
            return
        flat = layout.Flat(state, rng=rng.state() if rng_state else None)
        head, size = flat.plan()
        text = flat.text()
        said = json.dumps(meta, separators=(",", ":")).encode() if meta is not None else None
        if said is not None and len(said) > META_MAX:
            raise ValueError("meta is small, at most %d bytes of JSON, not %d: what is large belongs into the state" % (META_MAX, len(said)))
        at = lib().tare_saver_memory(self._open(), _pad(size) + len(text))
        if not at:
            raise MemoryError(self._error())
        flat.fill(at, head, lambda plain: lib().tare_saver_fill(self._s, (Copy * len(plain))(*plain), len(plain)))
        ctypes.memmove(at + _pad(size), text, len(text))
        prefix = b"rank%d/" % self.rank
        pieces = (Piece * 2)(Piece(prefix + b"state.safetensors", at, size), Piece(prefix + b"state.json", at + _pad(size), len(text)))
        rc = lib().tare_saver_go(self._s, step, pieces, 2, said)
        self._last_step, self._failed = step, False
        if rc < 0:
            raise NotSaved("the save before step %d failed: %s" % (step, self._error() or os.strerror(-rc)))

    def reserve(self, what: Any) -> None:
        """
        So many bytes will be saved, or a state as large as this one: memory is got ready in the background, so that the first saves stand still no longer
        than the later ones. tare.Training does it after its first step.
        """
        nbytes = what if isinstance(what, int) else _size(what)
        if nbytes < 0:
            raise ValueError("bytes to reserve are not negative: %d" % nbytes)
        lib().tare_saver_reserve(self._open(), nbytes)

    def keep_best(self, step: Optional[int]) -> None:
        """The checkpoint of this step is kept whatever its age, until another is named; None: none. Say it again after a resume."""
        lib().tare_saver_keep_best(self._open(), -1 if step is None else int(step))

    def wait(self, timeout_s: Optional[float] = None) -> bool:
        """Until all saves are safe. False: not within the time. Raises Error if one failed."""
        rc = lib().tare_saver_wait(self._open(), -1 if timeout_s is None else max(0, int(timeout_s * 1000)))
        if rc == -errno.ETIMEDOUT:
            return False
        self._failed = self._failed or rc < 0  # the step may be saved again
        self._check(rc, "a save failed")
        return True

    @property
    def safe_step(self) -> Optional[int]:
        """The newest step that this Saver knows to be safe, or None."""
        step = lib().tare_saver_safe_step(self._open())
        return step if step >= 0 else None

    @property
    def last(self) -> Dict[str, Union[int, float]]:
        """Of the last save that ended: {"bytes", "written_bytes", "stall_s", "write_s"}."""
        st = Stats()
        lib().tare_saver_last(self._open(), byref(st))
        return {"bytes": st.bytes, "written_bytes": st.written_bytes, "stall_s": st.stall_s, "write_s": st.write_s}

    # ---- loading

    def load_latest(self, device: Any = None, rng_state: bool = True, from_zero: bool = False) -> Tuple[int, Any]:
        """(step, state) of the newest checkpoint that holds, (0, None) where nothing was saved. See load_latest()."""
        return load_latest(self._dir, device, rng_state, rank=self.rank, world=self.world, sized=self.reserve, from_zero=from_zero)

    # ---- the end

    def close(self) -> None:
        """Waits until all is safe. Raises Error if a save failed."""
        if self._s:
            s, self._s = self._s, None
            if self._pid != os.getpid():  # a child has no thread that would ever be done
                return
            rc = lib().tare_saver_wait(s, -1)
            why = lib().tare_saver_error(s).decode("utf-8", "replace") if rc < 0 else ""
            lib().tare_saver_close(s)
            if rc < 0:
                raise NotSaved("a save failed: " + why)

    def __enter__(self) -> "Saver":
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.close()
        else:
            try:
                self.close()
            except Error as e:
                print("tare: " + str(e), file=sys.stderr)

    def __del__(self):
        if getattr(self, "_s", None):
            lib().tare_saver_close(self._s)
            self._s = None

    def _open(self):
        if self._s and self._pid != os.getpid():
            raise Error("a Saver belongs to the process that opened it: this is a child of it")
        if not self._s:
            raise Error("this Saver was closed")
        return self._s

    def _error(self):
        return lib().tare_saver_error(self._s).decode("utf-8", "replace")

    def _check(self, rc, what):
        if rc < 0:
            raise Error("%s: %s" % (what, self._error() or os.strerror(-rc)))


def _read(handle, name):
    """A file of the checkpoint in memory of its own, which begins at a page."""
    i = lib().tare_loaded_find(handle, name)
    if i < 0:
        return None
    n = lib().tare_loaded_bytes(handle, i)
    buf = mmap.mmap(-1, max(n, 1))
    at = (ctypes.c_char * max(n, 1)).from_buffer(buf)
    rc = lib().tare_loaded_read(handle, i, ctypes.addressof(at))
    del at
    if rc < 0:
        raise layout.Damaged("its bytes are not those that were saved" if rc == -errno.EBADMSG else os.strerror(-rc))
    return memoryview(buf)[:n]


def _read_state(handle, rank, world, device):
    prefix = b"rank%d/" % rank
    text, data = _read(handle, prefix + b"state.json"), _read(handle, prefix + b"state.safetensors")
    if text is None or data is None:
        n = lib().tare_loaded_count(handle)
        ranks = {lib().tare_loaded_name(handle, i).split(b"/")[0] for i in range(n)}
        raise Error("the checkpoint of step %d has nothing of rank %d of %d (it has: %s): resume with as many ranks as saved it"
                    % (lib().tare_loaded_step(handle), rank, world, ", ".join(sorted(r.decode("utf-8", "replace") for r in ranks))[:200]))
    return layout.Built(bytes(text), data, device)


def _told(said):
    return said.value.decode("utf-8", "replace")


def _tell_damage(handle, told):
    for line in lib().tare_loaded_damage(handle).decode("utf-8", "replace").splitlines():
        if line not in told:
            told.add(line)
            print("tare: " + line, file=sys.stderr)


def _anew(why):
    if why:
        print("tare: %s: begun at step 0" % why, file=sys.stderr)
    return 0, None


def _finish(step, built, rng_state):
    if rng_state and built.rng:
        rng.restore(built.rng)
    return step, built.state


def load_latest(dir: Path = None, device: Any = None, rng_state: bool = True, rank: Optional[int] = None, world: Optional[int] = None,
                sized: Optional[Callable[[int], None]] = None, from_zero: bool = False) -> Tuple[int, Any]:
    """
    (step, state) of the newest checkpoint in `dir` all of whose bytes hold; (0, None) where nothing was saved. Damaged ones are passed over, each told of
    on stderr. Where there are checkpoints and none can be used it raises Error; from_zero (or TARE_FROM_ZERO=1, which `tare run --from-zero` sets): that is
    told, and (0, None). Tensors lie in one piece of memory, or on `device`. rng_state: the random generators go on where they were, too.
    Several ranks: each gets what it saved, of the same checkpoint; for that each reads all of it once more.
    sized: called with its bytes.
    """
    rank, world = _place(rank, world)
    said, h = text_buffer(), c_void_p()
    load = lib().tare_load_quick if world == 1 else lib().tare_load_latest
    from_zero = from_zero or os.environ.get("TARE_FROM_ZERO") == "1"
    rc = load(os.fsencode(dir) if dir is not None else None, byref(h), said, len(said))
    if rc < 0 and not (rc == -errno.EBADMSG and from_zero):
        raise Error(_told(said) or os.strerror(-rc))
    if rc <= 0:
        return _anew(_told(said))
    damaged = set()
    try:
        _tell_damage(h, damaged)
        while rc > 0:
            try:
                built = _read_state(h, rank, world, device)
                if sized:
                    sized(_pad(len(built.buf)) + PAGE)
                return _finish(lib().tare_loaded_step(h), built, rng_state)
            except layout.Damaged as e:
                if world > 1:  # the others may have read theirs: nobody goes on alone with an older one
                    raise Error("the checkpoint of step %d is damaged for rank %d: %s" % (lib().tare_loaded_step(h), rank, e)) from None
                last = "the checkpoint of step %d is damaged: %s" % (lib().tare_loaded_step(h), e)
                print("tare: " + last, file=sys.stderr)
                rc = lib().tare_load_older(h)
                _tell_damage(h, damaged)
        if rc not in (0, -errno.EBADMSG):
            raise Error("cannot read the checkpoints: " + os.strerror(-rc))
        if not from_zero:
            raise Error("none of the checkpoints can be used: %s; bring one back, or begin again knowingly with from_zero=True" % last)
        return _anew(last)
    finally:
        lib().tare_loaded_close(h)


def load_step(step: int, dir: Path = None, device: Any = None, rng_state: bool = False, rank: Optional[int] = None, world: Optional[int] = None) -> Any:
    """The state of this very step (the best one, say), or None if there is none. Raises Error if it is damaged."""
    rank, world = _place(rank, world)
    said, h = text_buffer(), c_void_p()
    rc = lib().tare_load_step(os.fsencode(dir) if dir is not None else None, int(step), byref(h), said, len(said))
    if rc <= 0:
        if rc < 0:
            raise Error(_told(said) or os.strerror(-rc))
        return None
    try:
        return _finish(step, _read_state(h, rank, world, device), rng_state)[1]
    except layout.Damaged as e:
        raise Error("the checkpoint of step %d is damaged: %s" % (step, e)) from None
    finally:
        lib().tare_loaded_close(h)

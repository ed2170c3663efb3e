"""The whole pattern in one loop: resume, steps, saves in time, the word of `tare run`, the count of the cost, the end."""
import os
import sys
import time

from ._lib import NotSaved
from ._ranks import Together, group
from .cost import Cost
from .saver import Saver
from .steps import Steps, notice_left_s, should_save, should_stop
from .stopping import EarlyStopping

INTERRUPTED = 85  # exit code: saved, to be run again; that of `tare run`


class Training:
    """
        run = tare.Training("checkpoints", total=10_000, parts={"model": model, "optim": optim, "batches": batches})
        for step in run:                  # goes on after the last checkpoint
            train(step)
        sys.exit(run.exit_code)           # 0 finished, 85 interrupted: run it again

    parts: {name: object with state_dict() and load_state_dict()}; a part with a true `stopped` (EarlyStopping) ends the run as finished.
    Saves when `tare run` asks, every `every_s` seconds (default: 600 s; not at all under `tare run`, which asks in time) or every `every_steps` steps, when
    it is to stop, and at the end. A save that fails, such as on a full disk, is said and ends nothing: the next one is tried in its time. Where the last one fails
    that is an Error. Several ranks (torch.distributed) agree on it within half a second. log: a stream for one line at the start, each minute and at the end, None for none.
    from_zero: where there are checkpoints and none can be used, begin at step 0 (else that is an Error).
    """

    def __init__(self, dir: "str | os.PathLike[str] | None" = None, total: int = 1, parts: "dict | None" = None, every_s: "float | None" = None,
                 every_steps: "int | None" = None, keep_last: int = 3, usd_hour: "float | str | None" = None, device=None, log=sys.stderr, log_every_s: float = 60,
                 rng_state: bool = True, from_zero: bool = False, **saver) -> None:
        for name, part in (parts or {}).items():
            if not callable(getattr(part, "state_dict", None)) or not callable(getattr(part, "load_state_dict", None)):
                raise TypeError("parts['%s'] is a %s, which has no state_dict() and load_state_dict()" % (name, type(part).__name__))
        self.parts, self.every_steps, self.log, self.log_every_s, self._rng = dict(parts or {}), every_steps, log, log_every_s, rng_state
        if every_s is None and every_steps is None and not os.environ.get("TARE_RUN_SOCKET"):
            every_s = 600
        self.every_s = every_s
        self.saver = Saver(dir, keep_last=keep_last, **saver)
        folder = os.fspath(dir if dir is not None else os.environ.get("TARE_CHECKPOINT_DIR", "."))
        self.cost = Cost(os.path.join(folder, "cost.json") if self.saver.rank == 0 else None, usd_hour)
        for part in self.parts.values():  # one count for all of them
            if getattr(part, "cost", False) is None:
                part.cost = self.cost
            if isinstance(part, EarlyStopping) and part.budget_usd is not None:
                part.check()  # a budget without a price is told now, not hours later
        step, state = self.saver.load_latest(device=device, rng_state=rng_state, from_zero=from_zero)
        self.resumed = state is not None
        if state is not None:
            self._load(state)
        self.steps = Steps(total, step)
        self.interrupted, self.reason, self._saved = False, None, step if self.resumed else None
        self._together, self._reserved = Together(), False
        self._say("resumed at step %d of %d" % (step, total) if self.resumed else "begun: %d steps" % total)

    def _load(self, state):
        missing = sorted(set(self.parts) - set(state["parts"]))
        if missing:
            raise KeyError("the checkpoint has no part '%s': begin in another folder, or name the parts as they were (%s)"
                           % (missing[0], ", ".join(sorted(state["parts"]))))
        self.cost.load_state_dict(state["cost"])
        for name, part in self.parts.items():
            part.load_state_dict(state["parts"][name])

    def _state(self):
        return {"parts": {k: v.state_dict() for k, v in self.parts.items()}, "cost": self.cost.state_dict()}

    def save(self) -> None:
        """Now, whatever the interval says."""
        self.cost.tick()
        self.cost.write()
        self.saver.save(self.steps.done, self._state(), rng_state=self._rng,
                        meta={"step": self.steps.done, "total": self.steps.total, "usd": str(self.cost.usd) if self.cost.usd is not None else None})
        self._saved, self._saved_at = self.steps.done, time.monotonic()

    def _save(self):
        """What became of the save before is no reason to lose what was done since: this one is under way."""
        try:
            self.save()
        except NotSaved as e:
            self._saved, self._saved_at = self.steps.done, time.monotonic()
            self._say(str(e) + "; it goes on")

    def _due(self):
        if self.every_steps and self.steps.done - (self._saved or 0) >= self.every_steps:
            return True
        return self.every_s is not None and time.monotonic() - self._saved_at >= self.every_s

    def _ended_by_part(self):
        for name, part in self.parts.items():
            if isinstance(part, EarlyStopping):
                part.check()
            if getattr(part, "stopped", False) is True:
                return getattr(part, "reason", None) or "'%s' says so" % name
        return None

    def _look(self):
        """Whether to save after this step. Sets `reason` and steps.stopped, which end the run. The same on all ranks."""
        reason = self._ended_by_part()
        stop, save, end = self._together(self.steps.done, should_stop(), should_save() or self._due(), reason is not None)
        if end:
            self.reason = reason or "another rank says so"
        self.steps.stopped = bool(stop)
        return save and not stop and not end

    def __iter__(self):
        if self.saver.world > 1 and self.every_s is not None and group() is None:
            raise ValueError("%d ranks without torch.distributed cannot agree on a time to save: give every_steps, or run under `tare run`" % self.saver.world)
        self._saved_at = logged = time.monotonic()
        if self._look() and self._saved != self.steps.done:
            self._save()
        while self.reason is None and not self.steps.finished and not self.steps.stopped:
            yield self.steps.done
            self.steps.advance()
            self.cost.tick()
            if not self.resumed and self._saved is None and not self._reserved:  # an optimiser has its state after the first step
                self._reserved = True
                self.saver.reserve(self._state())
            if self._look() and not self.steps.finished:
                self._save()
            if time.monotonic() - logged >= self.log_every_s:
                logged = time.monotonic()
                self._say("step %d of %d" % (self.steps.done, self.steps.total))
        self._end()

    def _end(self):
        self.interrupted = self.steps.stopped and not self.steps.finished and self.reason is None
        if self._saved != self.steps.done:
            self._save()
        self.saver.close()
        self.cost.tick()
        self.cost.write()
        left = notice_left_s()
        if self.interrupted:
            self._say("interrupted at step %d of %d, saved%s; run it again to resume" % (self.steps.done, self.steps.total,
                                                                                     " with %.0f s to spare" % left if left is not None else ""))
        else:
            self._say("finished at step %d of %d%s" % (self.steps.done, self.steps.total, ": " + self.reason if self.reason else ""))

    @property
    def exit_code(self) -> int:
        return INTERRUPTED if self.interrupted else 0

    def _say(self, text):
        if self.log is not None and self.saver.rank == 0:
            self.cost.tick()
            print("tare: %s, %s" % (text, self.cost), file=self.log, flush=True)

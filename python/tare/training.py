"""The whole pattern in one loop: resume, steps, saves in time, the word of `tare run`, the count of the cost, the end."""
import os
import sys
import time

from .cost import Cost
from .saver import Saver
from .steps import Steps, notice_left_s, should_save, should_stop

INTERRUPTED = 85  # exit code: saved, to be run again; that of `tare run`


class Training:
    """
        run = tare.Training("checkpoints", total=10_000, parts={"model": model, "optim": optim, "batches": batches})
        for step in run:                  # goes on after the last checkpoint
            train(step)
        sys.exit(run.exit_code)           # 0 finished, 85 interrupted: run it again

    parts: {name: object with state_dict() and load_state_dict()}; a part with a true `stopped` (EarlyStopping) ends the run as finished.
    Saves when `tare run` asks, every `every_s` seconds (default: 600 s; not at all under `tare run`, which asks in time) or every `every_steps` steps, when
    it is to stop, and at the end. log: a stream for one line at the start, each minute and at the end, None for none.
    """

    def __init__(self, dir=None, total=1, parts=None, every_s=None, every_steps=None, keep_last=3, usd_hour=None, device=None, log=sys.stderr, log_every_s=60,
                 rng_state=True, **saver):
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
        step, state = self.saver.load_latest(device=device, rng_state=rng_state)
        self.resumed = state is not None
        if state is not None:
            self._load(state)
        self.steps = Steps(total, step)
        self.interrupted, self.reason, self._saved = False, None, step if self.resumed else None
        self._say("resumed at step %d of %d" % (step, total) if self.resumed else "begun: %d steps" % total)

    def _load(self, state):
        missing = sorted(set(self.parts) - set(state["parts"]))
        if missing:
            raise KeyError("the checkpoint has no part '%s': begin in another folder, or name the parts as they were (%s)"
                           % (missing[0], ", ".join(sorted(state["parts"]))))
        self.cost.load_state_dict(state["cost"])
        for name, part in self.parts.items():
            part.load_state_dict(state["parts"][name])

    def save(self):
        """Now, whatever the interval says."""
        self.cost.tick()
        self.cost.write()
        self.saver.save(self.steps.done, {"parts": {k: v.state_dict() for k, v in self.parts.items()}, "cost": self.cost.state_dict()}, rng_state=self._rng,
                        meta={"step": self.steps.done, "total": self.steps.total, "usd": str(self.cost.usd) if self.cost.usd is not None else None})
        self._saved, self._saved_at = self.steps.done, time.monotonic()

    def _due(self):
        if should_save():
            return True
        if self.every_steps and self.steps.done - (self._saved or 0) >= self.every_steps:
            return True
        return self.every_s is not None and time.monotonic() - self._saved_at >= self.every_s

    def _ended_by_part(self):
        for name, part in self.parts.items():
            if getattr(part, "stopped", False) is True:
                return getattr(part, "reason", None) or "'%s' says so" % name
        return None

    def __iter__(self):
        self._saved_at = logged = time.monotonic()
        self.reason = self._ended_by_part()
        while self.reason is None and not self.steps.finished:
            if should_stop():
                self.steps.stopped = True
                break
            yield self.steps.done
            self.steps.advance()
            self.cost.tick()
            self.reason = self._ended_by_part()
            if self.reason is None and not self.steps.finished and not should_stop() and self._due():
                self.save()
            if time.monotonic() - logged >= self.log_every_s:
                logged = time.monotonic()
                self._say("step %d of %d" % (self.steps.done, self.steps.total))
        self._end()

    def _end(self):
        self.interrupted = self.steps.stopped and not self.steps.finished and self.reason is None
        if self._saved != self.steps.done:
            self.save()
        self.saver.close()
        left = notice_left_s()
        if self.interrupted:
            self._say("interrupted at step %d of %d, saved%s; run it again to go on" % (self.steps.done, self.steps.total,
                                                                                     ", %.0f s before the machine goes" % left if left is not None else ""))
        else:
            self._say("finished at step %d of %d%s" % (self.steps.done, self.steps.total, ": " + self.reason if self.reason else ""))

    @property
    def exit_code(self):
        return INTERRUPTED if self.interrupted else 0

    def _say(self, text):
        if self.log is not None and self.saver.rank == 0:
            self.cost.tick()
            print("tare: %s, %s" % (text, self.cost), file=self.log, flush=True)

"""The word of `tare run`, and the budget of steps."""
from typing import Iterator

from ._lib import lib


def should_stop() -> bool:
    """Save and end now: the machine will be taken away, the budget or the deadline is reached, or SIGTERM came."""
    return bool(lib().tare_should_stop())


def should_save() -> bool:
    """`tare run` asks for a checkpoint; True once per asking."""
    return bool(lib().tare_should_save())


def notice_left_s() -> "float | None":
    """Seconds until the machine goes, None = nobody has said so."""
    ms = lib().tare_notice_left_ms()
    return ms / 1000 if ms >= 0 else None


def step_done(step: int) -> None:
    """`step` steps are done: `tare run` learns the speed of the training."""
    lib().tare_step(int(step))


class Steps:
    """
    The steps that are still to do: start, start + 1, ... total - 1. Ends at the same total however often the program was interrupted,
    and early when should_stop(). `done` counts the steps done since the very first; `stopped` says that it ended early.
    """

    def __init__(self, total: int, start: int = 0) -> None:
        self.total, self.done, self.stopped = int(total), int(start), False
        if self.total < 0 or self.done < 0:
            raise ValueError("steps are counted from 0: total %r, start %r" % (total, start))

    def __iter__(self) -> "Iterator[int]":
        while self.done < self.total:
            if should_stop():
                self.stopped = True
                return
            yield self.done
            self.advance()

    def advance(self):
        self.done += 1
        step_done(self.done)

    def __len__(self):
        return max(0, self.total - self.done)

    @property
    def finished(self):
        return self.done >= self.total

    def state_dict(self):
        return {"done": self.done, "total": self.total}

    def load_state_dict(self, state):
        """The steps done; the total stays what the program says now (a run may be made longer)."""
        self.done = int(state["done"])

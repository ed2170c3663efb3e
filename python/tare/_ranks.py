"""Ranks that train together save and end together: what one of them is told counts for all, at the same step."""
import sys
import time


def group():
    """torch.distributed where a group of several processes is up, else None."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized() or torch.distributed.get_world_size() < 2:
        return None
    return torch.distributed


def greatest(*mine, device=None):
    """The greatest that any rank says, for each number; all ranks have to call it."""
    dist = group()
    if dist is None:
        return mine
    torch = sys.modules["torch"]
    if device is None:
        device = torch.device("cuda", torch.cuda.current_device()) if dist.get_backend() == "nccl" else torch.device("cpu")
    told = torch.tensor([int(m) for m in mine], dtype=torch.int64, device=device)
    dist.all_reduce(told, op=dist.ReduceOp.MAX)
    return tuple(told.tolist())


class Together:
    """
    Flags of all ranks put together about every half second: a message at each step would make a GPU wait for its program. The step of the next look is agreed
    upon, too; in between nothing is said, and what this rank was told is kept.
    """

    EVERY_S, STEPS_MAX = 0.5, 1000

    def __init__(self):
        self._next, self._kept, self._step, self._at = None, None, None, None

    def __call__(self, step, *flags):
        if group() is None:
            return flags
        self._kept = tuple(a or b for a, b in zip(flags, self._kept or flags))
        if self._next is not None and step < self._next:
            return (False,) * len(flags)
        now = time.monotonic()
        pace = (step - self._step) / max(now - self._at, 1e-6) if self._step is not None else 0.0
        *told, ahead = greatest(*self._kept, min(max(1, int(pace * self.EVERY_S)), self.STEPS_MAX))
        self._next, self._kept, self._step, self._at = step + ahead, None, step, now
        return tuple(bool(t) for t in told)

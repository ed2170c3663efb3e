"""
tare: training that an interruption cannot hurt.

    import tare
    run = tare.Training("checkpoints", total=10_000, parts={"model": model, "optim": optim})
    for step in run:              # goes on after the last checkpoint that holds
        train(step)
    sys.exit(run.exit_code)       # 85: interrupted and saved, run it again

Underneath: Saver saves a state in the background and loads the newest that holds; Steps, Batches, Cost and EarlyStopping are parts of a state; Sweep
ends the trials that fall behind. Pure Python over libtare.so; PyTorch and numpy are used where the program uses them. docs/SURVIVE.md, "From Python".
"""
from ._lib import Error, NotSaved, lib
from .batches import Batches, Shuffle
from .cost import Cost, CostLog
from .saver import Saver, load_latest, load_step
from .steps import Steps, notice_left_s, should_save, should_stop, step_done
from .stopping import EarlyStopping
from .sweep import Sweep
from .training import INTERRUPTED, Training


def version():
    """Of libtare."""
    return lib().tare_version().decode()


__all__ = ["Batches", "Cost", "CostLog", "EarlyStopping", "Error", "INTERRUPTED", "NotSaved", "Saver", "Shuffle", "Steps", "Sweep", "Training", "load_latest", "load_step", "notice_left_s",
           "should_save", "should_stop", "step_done", "version"]

"""
A callback for the Trainer of Hugging Face: saves when `tare run` asks, saves and ends when the machine goes.

    from tare.hf import TareCallback, latest
    callback = TareCallback()
    trainer = Trainer(..., callbacks=[callback])
    trainer.train(resume_from_checkpoint=latest(args.output_dir))
    sys.exit(callback.exit_code)

The Trainer writes its own files (output_dir/checkpoint-N); `tare run --watch OUTPUT_DIR` takes them up and makes them safe. A Trainer that resumes from a
checkpoint of its very last step does one step more; a run that ended with 0 is not started again by `tare run`, so that is seldom.
"""
import os
import re
import sys

from transformers import TrainerCallback

from ._ranks import greatest
from .cost import CostLog
from .steps import should_save, should_stop, step_done
from .training import INTERRUPTED


def latest(output_dir):
    """
    The newest checkpoint-N whose trainer_state.json, which the Trainer writes after weights, optimiser and schedule, is there and not empty; None: begin from
    the start. What is no folder in the place of output_dir is an OSError.
    """
    found = []
    for name in os.listdir(output_dir) if os.path.lexists(output_dir) else []:
        m = re.fullmatch(r"checkpoint-(\d+)", name)
        state = os.path.join(output_dir, name, "trainer_state.json")
        if m and os.path.isfile(state) and os.path.getsize(state):
            found.append((int(m[1]), os.path.join(output_dir, name)))
        elif m:
            print("tare: '%s' is passed over: it has no trainer_state.json, so it was never finished" % os.path.join(output_dir, name), file=sys.stderr)
    return max(found)[1] if found else None


class TareCallback(TrainerCallback):
    """check_every: steps between two looks; several ranks agree at each look, which costs a small message among them. cost: a
    tare.Cost with a path (in output_dir, say), told of each minute on stderr."""

    def __init__(self, check_every=1, cost=None):
        self.interrupted, self.check_every = False, max(1, int(check_every))
        self._log = CostLog(cost) if cost is not None else None

    def on_train_begin(self, args, state, control, **kwargs):
        self.interrupted = False
        should_stop()  # from here on SIGTERM is heard: the first step may take long

    def on_step_end(self, args, state, control, **kwargs):
        step_done(state.global_step)
        if self._log and state.is_world_process_zero:
            self._log.step(state.global_step)
        if state.global_step % self.check_every:
            return control
        stop, save = greatest(should_stop(), should_save(), device=getattr(args, "device", None))
        if stop or save:
            control.should_save = True  # the Trainer saves after this, before it looks whether to stop
        if stop and not 0 < state.max_steps <= state.global_step:
            control.should_training_stop = self.interrupted = True
        return control

    def on_train_end(self, args, state, control, **kwargs):
        if self._log and state.is_world_process_zero:
            self._log.step(state.global_step, now=True)

    @property
    def exit_code(self):
        return INTERRUPTED if self.interrupted else 0

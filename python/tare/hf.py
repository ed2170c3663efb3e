"""
A callback for the Trainer of Hugging Face: saves when `tare run` asks, saves and ends when the machine goes.

    from tare.hf import TareCallback, latest
    callback = TareCallback()
    trainer = Trainer(..., callbacks=[callback])
    trainer.train(resume_from_checkpoint=latest(args.output_dir))
    sys.exit(callback.exit_code)

The Trainer writes its own files (output_dir/checkpoint-N); `tare run` takes them up by watching that folder.
"""
import os
import re

from transformers import TrainerCallback

from .steps import should_save, should_stop, step_done
from .training import INTERRUPTED


def latest(output_dir):
    """The newest checkpoint-N whose trainer_state.json, which the Trainer writes last of all its parts, is there and not empty; None: begin."""
    found = []
    for name in os.listdir(output_dir) if os.path.isdir(output_dir) else []:
        m = re.fullmatch(r"checkpoint-(\d+)", name)
        state = os.path.join(output_dir, name, "trainer_state.json")
        if m and os.path.isfile(state) and os.path.getsize(state):
            found.append((int(m[1]), os.path.join(output_dir, name)))
    return max(found)[1] if found else None


class TareCallback(TrainerCallback):
    def __init__(self):
        self.interrupted = False

    def on_step_end(self, args, state, control, **kwargs):
        step_done(state.global_step)
        if should_stop():
            control.should_save = control.should_training_stop = self.interrupted = True
        elif should_save():
            control.should_save = True
        return control

    @property
    def exit_code(self):
        return INTERRUPTED if self.interrupted else 0

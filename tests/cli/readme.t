What README.md and the tour show is what is printed.

  $ python3 $FILES/files/readme.py $PWD/home $FILES/../../README.md $FILES/../../docs/TOUR.md
  12 commands with their output

Settings and maps of the pages are read as they are pasted, commands without an output below them run, and no page names a command or an option that is not there.

  $ python3 $FILES/files/doc_blocks.py $PWD/home $SRC/README.md $SRC/CONTRIBUTING.md $SRC/docs/*.md
  5 commands, 1 scripts, 9 settings and maps
  not run: 1 block: builds what the tests run
  not run: 1 block: installs a service of the machine
  not run: 1 block: installs into the machine; tests/tree/installed does it elsewhere
  not run: 1 block: needs a cloud's store, and a framework that writes checkpoints
  not run: 1 block: needs an inference server, and a trace of the PyTorch profiler

What README.md and the tour show is what is printed.

  $ python3 $FILES/files/readme.py $PWD/home $FILES/../../README.md $FILES/../../docs/TOUR.md
  12 commands with their output

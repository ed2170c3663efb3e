What README.md shows is what is printed.

  $ python3 $FILES/files/readme.py $FILES/../../README.md $PWD/demo
  11 commands with their output

What tare says about itself.

  $ tare

  $ tare version

  $ tare help demo

  $ tare demo --help | head -3

Wrong words: exit 2, and a guess.

  $ tare reprot

  $ tare report --bye team

  $ tare report extra

  $ tare help nothing

  $ tare report --cost free

  $ tare report --since yesteryear

A store that is not there:

  $ tare report


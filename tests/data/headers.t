Real bills, price lists and traces with their headers in another case and spelling, columns and rows in another order, columns left out: found to be of
the kind that they are, and read as `--as` reads them.

  needs: $TARE_SHARED/data
  $ $FILES/../cli/files/headers.py 2 $(find $TARE_SHARED/data -type f \( -name '*.csv' -o -name '*.csv.gz' \) -size -400k | sort)
  1022 files of 11 kinds, 0 off

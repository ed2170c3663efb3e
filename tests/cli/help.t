What tare says about itself.

  $ tare
  tare 0.1.0   gross less tare is net: what every GPU-second costs, and whose it is
  
    see      top        the GPUs of this machine now: use, owner, $/h, what is
                        wasted today and why
    see      report     who spent what, on what
    see      plan       what to change, what it saves
    see      profile    what a command does with the GPUs, what it costs, why it
                        waits, which GPU would do
    see      alerts     what is wrong with which GPU: fires now, fired before, for
                        how long, what it cost
    see      explain    why: a recommendation, a job or a profiled run in full
    see      reconcile  where bill, nodes and catalogue disagree
    see      sql        one SELECT over the store's views
    see      simulate   replay a trace: spot markets, jobs, requests
    see      agent      watch this machine: every GPU-second with its owner, state
                        and price
    bring    import     bring in bills, jobs, telemetry, nodes, requests, prices
    bring    price      what GPUs cost, when and where; owned ones too
    bring    demo       an invented fleet of 200,000 dollars a month, to try
                        things on
    act      run        run a command so that an interruption loses nothing: exit
                        85 = safe, start me again
    act      init       write a script that interruptions cannot hurt
    govern   doctor     what tare can and cannot see here
    govern   config     the settings: what each is, and which file and line says
                        so
  
  New here:  tare demo         then  tare plan            Help:  tare help COMMAND

  $ tare version
  tare 0.1.0

  $ tare help demo
  tare demo: an invented fleet of 200,000 dollars a month, to try things on
  
  Usage: tare demo [--dir DIR] [--seed N] [--fleet wasteful|tidy]
  
  Examples:
    tare demo
    tare plan --demo
    tare report --demo --by workload
    tare demo --dir /tmp/tidy --fleet tidy
    tare report --db /tmp/tidy/db
  
  Options:
        --dir DIR                an empty folder, or one that it made, for the
                                 files; the store goes into DIR/db (default:
                                 $XDG_DATA_HOME/tare-demo)
        --seed N                 another fleet of the same kind (default: 1)
        --fleet KIND             wasteful: 200,000 dollars a month, much of it for
                                 nothing; tidy: how it could be (default:
                                 wasteful)
  
  Everywhere:
        --db DIR                 where facts and control state live (default:
                                 $XDG_DATA_HOME/tare)
        --config FILE            YAML settings (default:
                                 $XDG_CONFIG_HOME/tare/config.yaml if there)
        --wait SPAN              wait this long for another command to let go of
                                 the store
    -o, --output FORMAT          table, json, csv or md
        --raw                    CSV for programs: texts as they are, not made
                                 safe for spreadsheets
    -q, --quiet                  only results and errors
        --no-color               no colour (NO_COLOR is honoured too)
    -h, --help                   this text
  
  Each option has a variable: --dry-run is TARE_DRY_RUN=1, --db D is TARE_DB=D.
  
  Writes a FOCUS bill, node list, job list, minute telemetry and request log of
  730 hours, made from the seed without a network, and imports them as it would
  import yours. The same seed gives the same bytes.
  
  Commands that read a store take this one with --demo; on a terminal also by
  themselves, as long as there is no store of your own and none is named (--db,
  TARE_DB). The first line of what they print says so.

  $ tare demo --help | head -3
  tare demo: an invented fleet of 200,000 dollars a month, to try things on
  
  Usage: tare demo [--dir DIR] [--seed N] [--fleet wasteful|tidy]

Wrong words: exit 2, and a guess.

  $ tare reprot
  ! tare: 'reprot' is not a command
  !       Did you mean: tare report
  [2]

  $ tare report --bye team
  ! tare: unknown option '--bye'; did you mean --by?
  !       See: tare report --help
  [2]

  $ tare report extra
  ! tare: report takes no argument but the name of a view, @NAME: 'extra'
  !       See: tare report --help
  [2]

  $ tare help nothing
  ! tare: 'nothing' is not a command
  !       See: tare help --help
  [2]

  $ tare report --cost free
  ! tare: --cost does not know 'free': it takes billed|effective|list
  !       See: tare report --help
  [2]

  $ tare report --since yesteryear
  ! tare: cannot read 'yesteryear' as the time of --since
  !       Did you mean 'yesterday'? Else a date (2024-09-18), a month (2024-09) ...
  [2]

A store that is not there:

  $ tare report
  ! tare: there is no store in '$TMP/db' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]


What is nearly right is suggested: the beginning of an option, a planner, a number that wants another command.

  $ tare plan gpu --vram 20
  ! tare: unknown option '--vram'; did you mean --vram-gib?
  !       See: tare plan gpu --help
  [2]

  $ tare plan gpuu
  ! tare: plan has no 'gpuu'; did you mean: tare plan gpu?
  !       See: tare plan --help
  [2]

  $ tare plan 3
  ! tare: plan has no '3'; a recommendation in full: tare explain 3
  !       See: tare plan --help
  [2]

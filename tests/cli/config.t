The settings: values, and where each comes from.

Without a file everything is as by default.

  $ export XDG_CONFIG_HOME=/nonexistent
  $ tare config thresholds
  Settings; there is no file.
  
  setting                            value    from
  thresholds.idle_util_pct           0 %      default
  thresholds.underused_util_pct      25 %     default
  thresholds.empty_mib               500 MiB  default
  thresholds.empty_frac              0.01     default
  thresholds.stalled_sm_frac         0.01     default
  thresholds.stalled_power_frac_tdp  0.22     default
  thresholds.finished_after          30m      default
  
  One in full: tare config KEY
  $ tare config --changed
  Settings; there is no file.
  All of them are as by default.

A file, and a variable over it.

  $ cat > c.yaml <<END
  > version: 1
  > currency: EUR
  > tags:
  >   required: [team, "tag:cost center"]
  > plan:
  >   wacc_frac: 0.12
  >   regions:
  >   rules:
  >     - when: {team: vision}
  >       opt_out: [spot]
  > agent:
  >   interval: 2s
  >   node: {usd_gpu_hour: 2.5}
  > END
  $ TARE_INTERVAL=500ms tare config --config c.yaml --changed
  Settings; 'c.yaml' says 7 of these 8.
  
  setting                  value                    from
  version                  1                        line 1
  currency                 EUR                      line 2
  tags.required            [team, tag:cost center]  line 4
  plan.wacc_frac           0.12                     line 6
  plan.rules[0].when       {team: vision}           line 9
  plan.rules[0].opt_out    [spot]                   line 10
  agent.interval           500ms                    TARE_INTERVAL
  agent.node.usd_gpu_hour  2.5 $/GPU-hour           line 13
  
  One in full: tare config KEY
  $ TARE_INTERVAL=500ms TARE_DCGM_NAMES=1 TARE_CONFIG=c.yaml COLUMNS=120 tare config agent | head -6
  Settings; 'c.yaml' says 1 of these 25.
  
  setting                   value                       from             meaning
  agent.interval            500ms                       TARE_INTERVAL    how often to look
  agent.flush               5s                          default          a kill loses at most so much
  agent.retention_raw       24h                         default          how long every reading is kept
  $ TARE_CONFIG=c.yaml tare config agent.dcgm_names
  agent.dcgm_names: DCGM_FI_* in /metrics beside the own names
  
    value      no
    from       default
    default    no
    kind       true or false
    option     --dcgm-names
    variable   TARE_DCGM_NAMES

One in full; what items of a list may have.

  $ tare config --config c.yaml plan.wacc_frac
  plan.wacc_frac: cost of capital a year: what is paid in advance is charged with it
  
    value      0.12
    from       c.yaml:6
    default    0.08
    kind       number
    may be     0 to 10
  $ tare config plan.upfront_cap_usd
  plan.upfront_cap_usd: at most this much paid in advance
  
    value      (no limit)
    from       default
    default    no limit
    kind       number
    unit       $
    may be     from 0
  $ tare config plan.rules.share_with
  plan.rules[].share_with: who may be on the same GPU
  
    default    team
    kind       word
    may be     team, others or nobody
  $ COLUMNS=120 tare config --config c.yaml plan.commitments
  Settings; 'c.yaml' says 0 of these 4.
  
  setting                      value   from     meaning
  plan.commitments             (none)  default  commitments that run; findings tell of those that end within 90 days
  plan.commitments[].name      -       default  what people call it
  plan.commitments[].ends      -       default  the day it ends
  plan.commitments[].usd_hour  -       default  what it costs
  
  One in full: tare config KEY
  $ tare config --config c.yaml plan.rules | head -6
  Settings; 'c.yaml' says 2 of these 14.
  
  setting                           value                       from
  plan.rules[0].when                {team: vision}              line 9
  plan.rules[0].opt_out             [spot]                      line 10
  plan.rules[].when                 -                           default

The order of the words says nothing: a list named beside its section has its fields too.

  $ tare config --config c.yaml plan plan.rules > wide && tare config --config c.yaml plan.rules plan | diff wide -

Formats.

  $ tare config --config c.yaml currency plan.rules --changed -o json | python3 -m json.tool
  {
      "schema": "tare.config/1",
      "file": "c.yaml",
      "settings": [
          {
              "key": "currency",
              "value": "EUR",
              "unit": null,
              "source": "file",
              "at": "c.yaml:2",
              "line": 2,
              "default": "USD",
              "if_not_set": null,
              "kind": "text",
              "range": null,
              "option": null,
              "variable": null,
              "meaning": "of prices that name none, and of reports over nothing"
          },
          {
              "key": "plan.rules[0].when",
              "value": "{team: vision}",
              "unit": null,
              "source": "file",
              "at": "c.yaml:9",
              "line": 9,
              "default": null,
              "if_not_set": null,
              "kind": "field: pattern",
              "range": null,
              "option": null,
              "variable": null,
              "meaning": "patterns (* and ?) that must all match the work"
          },
          {
              "key": "plan.rules[0].opt_out",
              "value": "[spot]",
              "unit": null,
              "source": "file",
              "at": "c.yaml:10",
              "line": 10,
              "default": null,
              "if_not_set": "none",
              "kind": "list of texts",
              "range": null,
              "option": null,
              "variable": null,
              "meaning": "levers that leave it alone"
          }
      ]
  }
  $ tare config --config c.yaml agent.interval -o csv
  key,value,unit,source,at,line,default,if_not_set,kind,range,option,variable,meaning
  agent.interval,2s,,file,c.yaml:12,12,1s,,span,100ms to 1h,interval,TARE_INTERVAL,how often to look
  $ tare config --config c.yaml agent.node.usd_gpu_hour currency -o md
  | setting | value | from | meaning |
  | --- | --- | --- | --- |
  | currency | EUR | line 2 | of prices that name none, and of reports over nothing |
  | agent.node.usd\_gpu\_hour | 2.5 $/GPU-hour | line 13 | what a whole GPU costs here an hour |

Wrong words and wrong values.

  $ tare config plan.wac_frac
  ! tare: 'plan.wac_frac' is not a setting
  !       Did you mean 'plan.wacc_frac'?
  [2]
  $ tare config weather
  ! tare: 'weather' is not a setting
  !       All of them: tare config --all
  [2]
  $ printf 'version: 1\nagent:\n  flush: soon\n' > bad.yaml
  $ tare config --config bad.yaml
  ! tare: 'bad.yaml' line 3: agent: flush is not a duration such as 1s, 100ms or 24h
  [2]
  $ TARE_INTERVAL=1ms tare config
  ! tare: --interval: 1ms is not between 100 ms and 1 h 00 min
  [2]

What doctor says of settings with a key that nobody knows, in any section.

  $ printf 'version: 1\nplan:\n  gates:\n    stop_trial_dayz: 4\n' > typo.yaml; printf 'version: 1\nalerts:\n  rules:\n  - {nam: x}\n' > typo2.yaml; printf 'version: 1\nplann: {}\n' > typo3.yaml
  > for i in typo typo2 typo3; do tare doctor --config $i.yaml --db none 2>&1 | grep -A1 "typo"; done; tare doctor --config typo.yaml --db none > out.txt
  no   configuration          'typo.yaml' line 4: 'stop_trial_dayz' is not a key known here
                              -> did you mean 'stop_trial_days'?
  no   configuration          'typo2.yaml' line 4: 'nam' is not a key known here
                              -> did you mean 'name'?
  tare: 'typo3.yaml' line 2: 'plann' is not a key known here
        Did you mean 'plan'?
  [2]

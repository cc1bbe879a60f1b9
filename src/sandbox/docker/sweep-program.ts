/**
 * The part of the agent that ends a command with all that came from it: what is in its session or group, the children of
 * those, and what carries its mark in the environment. It looks again until nobody is left, because a process may have
 * started others meanwhile. The name of a process may hold anything, so fields are counted from the last bracket.
 */
export const SWEEP = `table() {
  for file in /proc/[0-9]*/stat; do
    line=
    { while IFS= read -r part; do line=$part; done <"$file"; } 2>/dev/null
    set -- \${line##*) }
    pid=\${file#/proc/}
    [ "\${1:-Z}" = Z ] || echo "\${pid%/stat} $2 $3 $4"
  done
}
marked() {
  [ -z "$1" ] || grep -lzxF -e "$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
strays() {
  found=" $1 $(marked "$2" | tr '\\n' ' ') "
  rows=$(table)
  before=
  while [ "$before" != "$found" ]; do
    before=$found
    while read -r pid parent group session; do
      case $found in *" $pid "*) continue ;; esac
      case $found in *" $parent "* | *" $group "* | *" $session "*) found="$found$pid " ;; esac
    done <<ROWS
$rows
ROWS
  done
  while read -r pid _; do
    case $found in *" $pid "*) echo "$pid" ;; esac
  done <<ROWS
$rows
ROWS
}
sweep() {
  slot=\${1%% *}
  rest=\${1#* }
  round=0
  while [ "$round" -lt 200 ] && pids=$(strays "\${rest%% *}" "\${rest#* }") && [ -n "$pids" ]; do
    kill -s KILL $pids 2>/dev/null
    round=$((round + 1))
  done
  echo "$slot swept" >&9
}
check() {
  table | grep -q "^$2 " || echo "$1 killed 9" >&9
}`;

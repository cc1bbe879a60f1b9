/** Examples and what else stands below the flags of the commands that are about sessions. */

const CHOOSING = `A session is named by its id, the beginning of it, or its name; \`tenon sessions list\` shows them. --last is the one
that was used last in this folder (or that of -C), with --all in any.`;

const RESTORED = `The session goes on in its own folder, with the model, sandbox, policy and all other settings that it had: they stand above
the configuration's files, and below the flags that are given now. Values that may be secrets are not kept; pass them again.`;

const EXIT_CODES = `
Exit codes:
  0 done   1 failed, or stopped by a limit   2 bad usage or configuration   130 interrupted`;

export const RESUME_HELP = `
Examples:
  tenon resume                           choose one of this folder's last sessions
  tenon resume --last 'now the tests'
  tenon resume 019a8d2c 'go on'
  tenon resume --last                    goes on with a turn that was cut off
  tenon resume nightly 'try again' -m gpt-5.5

${CHOOSING}
${RESTORED}
Questions are asked at the terminal.
${EXIT_CODES}`;

export const EXEC_RESUME_HELP = `
Examples:
  tenon exec resume 019a8d2c 'now the tests'
  tenon exec resume --last 'now the tests' -i screenshot.png
  tenon exec --json resume --last - < more.md
  tenon exec resume --last < /dev/null   goes on with a turn that was cut off

${CHOOSING}
${RESTORED}
${EXIT_CODES}`;

export const FORK_HELP = `
Examples:
  tenon fork                             choose one of this folder's last sessions
  tenon fork --last 'try it another way'
  tenon fork 019a8d2c --turns 2          a new session that knows only the first two turns
  tenon fork nightly -C ../copy 'do the same here'

Without a prompt the id of the new session is printed. The old one stays as it is, and may be in use.
${CHOOSING}
${EXIT_CODES}`;

export const EXEC_FORK_HELP = `
Examples:
  id=$(tenon exec fork 019a8d2c --turns 2)
  tenon exec fork --last 'try it another way' --json

Without a prompt the id of the new session is printed; - reads the prompt from standard input.
${CHOOSING}
${EXIT_CODES}`;

export const SESSIONS_HELP = `
Examples:
  tenon sessions list                    those of this folder
  tenon sessions show 019a8d2c
  tenon sessions name 019a8d2c nightly
  tenon sessions export nightly --format md -o nightly.md
  tenon sessions rm 019a8d2c
  tenon resume nightly 'go on'

Files:
  ~/.tenon/sessions/ID.jsonl             one for each, readable by you alone`;

const DATES = `A date is a day (2026-01-31), a time (2026-01-31T12:00) or how long ago: 30m, 3h, 2d, 1w.`;

export const LIST_HELP = `
Examples:
  tenon sessions list --all -n 100
  tenon sessions list --since 2d
  tenon sessions list --json | jq -r 'select(.status == "unfinished").id'

${DATES}`;

export const SHOW_HELP = `
Examples:
  tenon sessions show                    choose one of this folder's last sessions
  tenon sessions show 019a8d2c | less
  tenon sessions show --last --json | jq -r 'select(.type == "call.settled").outcome'

${CHOOSING}

Exit codes:
  0 shown   2 there is no such session, or more than one`;

export const EXPORT_HELP = `
Examples:
  tenon sessions export --last -o session.jsonl
  tenon sessions export nightly --format md > nightly.md

${CHOOSING}
Whatever was said in a session is in it, also what commands printed: read it before you hand it on.

Exit codes:
  0 written   2 there is no such session, or the file cannot be written`;

export const NAME_HELP = `
Examples:
  tenon sessions name 019a8d2c nightly
  tenon resume nightly 'go on'

Exit codes:
  0 named   2 there is no such session, or it is in use`;

export const REMOVE_HELP = `
Examples:
  tenon sessions rm 019a8d2c nightly
  tenon sessions rm --older-than 30d
  tenon sessions rm --older-than 2026-01-31 --all --yes

${DATES} One that is in use is not removed.

Exit codes:
  0 removed   1 some could not be   2 bad usage, or there is no such session; nothing was removed`;

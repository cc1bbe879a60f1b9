/** `tenon sessions` as the command line has it. What its parts do is loaded when they are run. */
import { Command, Option } from 'commander';

import type { RemoveFlags } from '../commands/remove-sessions.js';
import type { ExportFlags, ListFlags, ShowSessionFlags } from '../commands/sessions.js';
import { folderOption } from '../options.js';
import { SESSION, anyFolderOption, lastOption } from './choice-options.js';
import { EXPORT_HELP, LIST_HELP, NAME_HELP, REMOVE_HELP, SESSIONS_HELP, SHOW_HELP } from './help.js';

type Finish = (exitCode: number) => void;

export function sessionsCommand(finish: Finish): Command {
  return new Command('sessions')
    .alias('session')
    .description('List, show, export, name and remove the sessions that were kept.')
    .helpCommand(false)
    .addCommand(listCommand(finish))
    .addCommand(showCommand(finish))
    .addCommand(exportCommand(finish))
    .addCommand(nameCommand(finish))
    .addCommand(removeCommand(finish))
    .addHelpText('after', SESSIONS_HELP);
}

function listCommand(finish: Finish): Command {
  return new Command('list')
    .alias('ls')
    .description('List sessions, the last used first.')
    .option('--all', 'those of every folder, not only of this one')
    .option('--since <date>', 'used then or later')
    .option('--until <date>', 'not used since')
    .option('-n, --number <number>', 'how many at most', '20')
    .option('--json', 'print one JSON line for each')
    .addOption(folderOption())
    .addHelpText('after', LIST_HELP)
    .action(async (flags: ListFlags) => {
      const { listSessions } = await import('../commands/sessions.js');
      finish(await listSessions(flags));
    });
}

function showCommand(finish: Finish): Command {
  return new Command('show')
    .description('Show what was said in a session, and what its calls came to.')
    .argument('[session]', SESSION)
    .addOption(lastOption())
    .addOption(anyFolderOption())
    .option('--json', 'print its lines as they were kept')
    .addOption(folderOption())
    .addHelpText('after', SHOW_HELP)
    .action(async (session: string | undefined, flags: ShowSessionFlags) => {
      const { showSession } = await import('../commands/sessions.js');
      finish(await showSession(session, flags));
    });
}

function exportCommand(finish: Finish): Command {
  return new Command('export')
    .description('Write a session out: as it was kept, or as a document.')
    .argument('[session]', SESSION)
    .addOption(lastOption())
    .addOption(anyFolderOption())
    .option('-o, --output <file>', 'the file to write; without it, standard output')
    .addOption(new Option('--format <format>', 'how it is written').choices(['jsonl', 'md']).default('jsonl'))
    .addOption(folderOption())
    .addHelpText('after', EXPORT_HELP)
    .action(async (session: string | undefined, flags: ExportFlags) => {
      const { exportSession } = await import('../commands/sessions.js');
      finish(await exportSession(session, flags));
    });
}

function nameCommand(finish: Finish): Command {
  return new Command('name')
    .alias('rename')
    .description('Give a session a name, by which it can be found.')
    .argument('<session>', SESSION)
    .argument('<name>', 'what to call it')
    .addHelpText('after', NAME_HELP)
    .action(async (session: string, name: string) => {
      const { nameSession } = await import('../commands/sessions.js');
      finish(await nameSession(session, name));
    });
}

function removeCommand(finish: Finish): Command {
  return new Command('rm')
    .aliases(['delete', 'remove'])
    .description('Remove sessions for good.')
    .argument('[session...]', SESSION)
    .option('--older-than <date>', 'all of this folder that were not used since')
    .option('--all', 'with --older-than: those of every folder')
    .option('-y, --yes', 'do not ask')
    .addOption(folderOption())
    .addHelpText('after', REMOVE_HELP)
    .action(async (sessions: readonly string[], flags: RemoveFlags) => {
      const { removeSessions } = await import('../commands/remove-sessions.js');
      finish(await removeSessions(sessions, flags));
    });
}

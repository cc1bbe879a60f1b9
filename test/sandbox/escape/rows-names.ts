/** Names that are hard to say. */
import fs from 'node:fs';
import path from 'node:path';

import { messageOf } from '../../../src/core/errors.js';
import { makeRepository } from './grounds.js';
import type { Grounds } from './grounds.js';
import { finding } from './row.js';
import type { Finding, Row } from './row.js';
import { refusal } from './try-inside.js';

export const NAME_ROWS: readonly Row[] = [
  {
    id: '47',
    title: 'odd names are taken exactly or refused',
    story: async (grounds) => [
      ...(await oddRoots(grounds)),
      await refusal(grounds, 'with a NUL', {}, { cwd: `${grounds.workspace}/a\0b` }),
      await refusal(grounds, 'very long', {}, { cwd: `${grounds.workspace}/${'long/'.repeat(1000)}` }),
      ...(await nameless(grounds)),
    ],
  },
];

const ODD_NAMES = [
  'new\nline',
  'quo"te',
  "quo'te",
  '$(touch evil)`touch evil`;&|<>',
  'back\\slash',
  'spa ce ',
  'comma,colon:semi;',
  '-dash',
  '%s%n',
  'ünïcode-😀',
  '\u001b[31mred',
  'x'.repeat(200),
];

/** All of them are writable at once, and the first one is also where the command works. */
async function oddRoots({ home, run }: Grounds): Promise<readonly Finding[]> {
  const folders = ODD_NAMES.map((name, index) => ({ name, top: path.join(home, 'odd', `${index}`) }));
  for (const { name, top } of folders) {
    fs.mkdirSync(path.join(top, name), { recursive: true });
    makeRepository(path.join(top, name));
  }
  const roots = folders.map(({ name, top }) => path.join(top, name));
  const script = 'for each do cd "$each" && echo x >new; echo evil >.git/config; echo x >../escaped; done; : >last';
  const more = { cwd: roots[0] ?? '' };
  await run(['/bin/sh', '-c', script, 'sh', ...roots], { writableRoots: roots }, more);
  return folders.flatMap(({ name, top }) => [
    finding(`a file in ${JSON.stringify(name)}`, fs.existsSync(path.join(top, name, 'new')), true),
    finding(
      `.git in ${JSON.stringify(name)}`,
      fs.readFileSync(path.join(top, name, '.git/config')).includes('evil'),
      false,
    ),
    finding(`beside ${JSON.stringify(name)}`, fs.readdirSync(top).join(), name),
  ]);
}

/** A repository below a name that no text can say. */
async function nameless({ workspace, run }: Grounds): Promise<readonly Finding[]> {
  const folder = Buffer.concat([Buffer.from(`${workspace}/odd`), Buffer.from([0xff])]);
  const config = Buffer.concat([folder, Buffer.from('/.git/config')]);
  fs.mkdirSync(Buffer.concat([folder, Buffer.from('/.git')]), { recursive: true });
  fs.writeFileSync(config, 'as it was\n');
  await run([
    '/bin/sh',
    '-c',
    `cd odd*; echo evil >.git/config; mv .git gone; mkdir .git; echo evil >.git/config`,
  ]).catch(messageOf);
  return [finding('behind a name that is no text', fs.readFileSync(config, 'utf8'), 'as it was\n')];
}

/** What must not be read. */
import fs from 'node:fs';

import { runIn } from './grounds.js';
import type { Grounds } from './grounds.js';
import { OPEN } from './probe.js';
import { by, finding } from './row.js';
import type { Finding, Row, Stand } from './row.js';
import { all } from './rows-files.js';
import { refusal, tryInside } from './try-inside.js';

export const SECRET_ROWS: readonly Row[] = [
  {
    id: '42',
    title: 'secrets are not read by any path',
    async story(grounds, stand) {
      const { home, workspace } = grounds;
      const files = ['.ssh/id', '.aws/credentials', '.netrc'].map((name) => `${home}/${name}`);
      const prefixes = [
        '',
        '/proc/self/root',
        '/proc/1/root',
        `/proc/self/cwd/${'../'.repeat(12)}`,
        `${workspace}/..//./..`.replace(/\/[^/]*\/[^/]*$/, '/..'),
      ];
      fs.symlinkSync(`${home}/.ssh`, `${workspace}/keys`);
      const paths = [...prefixes.flatMap((prefix) => files.map((file) => prefix + file)), `${workspace}/keys/id`];
      const { stdout } = await grounds.run(['cat', ...paths]);
      const tries = all(by('ENOENT|EROFS|EXDEV', 'EACCES|EXDEV'), {
        'opening it': (p) => p.open(`${home}/.ssh/id`, OPEN.read),
        'linking it': (p) => p.call('linkat', [-100, p.text(`${home}/.ssh/id`), -100, p.text(`${workspace}/id`), 0]),
        'linking a file': (p) =>
          p.call('linkat', [-100, p.text(`${home}/.netrc`), -100, p.text(`${workspace}/netrc`), 0]),
        'moving the folder': (p) =>
          p.call('renameat', [-100, p.text(`${home}/.ssh`), -100, p.text(`${workspace}/ssh`)]),
        'making one in it': (p) => p.open(`${home}/.ssh/authorized_keys`, OPEN.create, 0o644),
      });
      return [
        finding('what was read', secretsIn(stdout), 0),
        ...(await tryInside(grounds, stand, tries)),
        ...(await secretInWorkspace(grounds, stand)),
      ];
    },
  },
  {
    id: '43',
    title: 'no key is found in variables or command lines',
    async story({ run }) {
      const script = 'env; cat /proc/self/environ /proc/1/environ /proc/1/cmdline /proc/[0-9]*/environ; ps axeww';
      const { stdout } = await run(['/bin/sh', '-c', script]);
      return [finding('keys', secretsIn(stdout), 0)];
    },
  },
];

function secretsIn(output: Buffer): number {
  return output.toString().split('SECRET').length - 1;
}

/** A file that is hidden in the workspace itself: Landlock cannot do that, and says so. */
async function secretInWorkspace(grounds: Grounds, stand: Stand): Promise<readonly Finding[]> {
  const { workspace, sandbox } = grounds;
  fs.mkdirSync(`${workspace}/hidden`);
  for (const name of ['.env', 'hidden/key']) fs.writeFileSync(`${workspace}/${name}`, 'SECRET\n');
  const settings = { hide: [`${workspace}/.env`, `${workspace}/hidden`] };
  if (stand.backend === 'landlock') return [await refusal(grounds, 'hidden in the workspace', settings)];
  const opened = sandbox(settings);
  const { stdout } = await runIn(opened, [
    '/bin/sh',
    '-c',
    'cat .env hidden/key; mv .env b; mv hidden c; ln .env d; rm -f .env; cat b c/key d',
  ]);
  return [
    finding('what was read in the workspace', secretsIn(stdout), 0),
    finding('it is still there', fs.readFileSync(`${workspace}/.env`, 'utf8'), 'SECRET\n'),
  ];
}

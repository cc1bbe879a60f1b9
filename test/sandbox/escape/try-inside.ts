/** Makes calls inside of a sandbox, and looks afterwards whether anything outside has changed. */
import fs from 'node:fs';
import path from 'node:path';

import type { CommandSandboxOptions } from '../../../src/command-sandbox.js';
import type { SandboxSettings } from '../../../src/core/sandbox-settings.js';
import type { Guarantees } from '../../../src/sandbox/policy.js';
import { pictureOf } from './grounds.js';
import type { Grounds } from './grounds.js';
import { compileTries } from './probe.js';
import { finding, wanted } from './row.js';
import type { Finding, Stand, Try } from './row.js';

const ENDED_WELL = JSON.stringify({ kind: 'exited', code: 0 });

/** Other settings and options than the usual ones. */
type Under = { readonly settings?: SandboxSettings; readonly more?: Partial<CommandSandboxOptions> };

export async function tryInside(
  grounds: Grounds,
  stand: Stand,
  tries: readonly Try[],
  { settings, more }: Under = {},
): Promise<readonly Finding[]> {
  const program = compileTries(tries);
  const file = path.join(grounds.workspace, `${grounds.nextName()}.list`);
  fs.writeFileSync(file, program.bytes);
  const before = contentsOf(grounds.outside);
  const { exit, stdout, stderr } = await grounds.run([grounds.runner, file], settings, more);
  const results = program.results(stdout);
  const isWell = exit.kind === 'exited' && exit.code === 0;
  return [
    finding('the probe', `${JSON.stringify(exit)}${isWell ? '' : stderr}`, ENDED_WELL),
    ...tries.map(({ name, want }, index) => finding(name, results[index], wanted(want, stand))),
    finding('files outside are as before', contentsOf(grounds.outside) === before, true),
  ];
}

/** What the backend holds to under these settings. */
export async function promised(
  { sandbox }: Grounds,
  { backend }: Stand,
  settings?: SandboxSettings,
): Promise<Guarantees | undefined> {
  const [probed] = await sandbox(settings).probe([backend]);
  return probed?.works ? probed.guarantees : undefined;
}

/** Modes are another question. */
function contentsOf(folder: string): string {
  return pictureOf(folder).replaceAll(/ 1[0-7]{5}( |$)/gm, ' ');
}

/** Whether nothing is started under these settings. */
export async function refusal(
  { run }: Grounds,
  name: string,
  settings: Parameters<Grounds['run']>[1],
  more?: Parameters<Grounds['run']>[2],
): Promise<Finding> {
  try {
    const { exit } = await run(['true'], settings, more);
    return finding(name, exit.kind, 'refused|not_started');
  } catch {
    return finding(name, 'refused', 'refused');
  }
}

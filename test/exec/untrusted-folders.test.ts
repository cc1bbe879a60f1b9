/** Folders that commands write to are left out of what our own shells look at, and put back for the command. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import { absolutePath } from '../../src/core/paths.js';
import { createLocalWorkspace } from '../../src/exec/local-workspace.js';
import { isUntrusted, withFolders, withoutUntrusted } from '../../src/exec/untrusted-folders.js';
import { tempFolder } from '../support/temp-folder.js';

describe('a folder is untrusted', () => {
  test('when it is one of them, or lies in one, also before it exists', () => {
    const root = tempFolder();
    expect([root, path.join(root, 'a/b'), `${root}/x/../y`].map((each) => isUntrusted(each, [root]))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('not when it only holds one, or begins with the same letters', () => {
    const root = tempFolder();
    expect([path.dirname(root), `${root}-beside`, '/'].map((each) => isUntrusted(each, [root]))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isUntrusted(root, [])).toBe(false);
  });

  test('by where it really is, whichever of the two is spelled with a link', () => {
    const [root, elsewhere] = [tempFolder(), tempFolder()];
    const link = path.join(elsewhere, 'link');
    symlinkSync(root, link);
    expect(isUntrusted(path.join(link, 'bin'), [root])).toBe(true);
    expect(isUntrusted(path.join(root, 'bin'), [link])).toBe(true);
    // A link to what is not there yet: a command may make it.
    symlinkSync(path.join(root, 'later'), path.join(elsewhere, 'dangling'));
    expect(isUntrusted(path.join(elsewhere, 'dangling'), [root])).toBe(true);
  });
});

describe('a shell of ours', () => {
  const env = { PATH: '/ws/bin:/usr/bin:relative:.::/ws:/bin', BASH_ENV: '/x', ENV: '/y', OTHER: 'kept' };

  test('has neither those folders nor relative ones in its search path, and no file to read first', () => {
    expect(withoutUntrusted(env, ['/ws'])).toEqual({ PATH: '/usr/bin:/bin', OTHER: 'kept' });
  });

  test('gets everything as it is where commands are trusted', () => {
    expect(withoutUntrusted(env, [])).toBe(env);
  });

  test('without a search path has an empty one', () => {
    expect(withoutUntrusted({}, ['/ws'])).toEqual({ PATH: '' });
  });
});

describe('the command', () => {
  test('has what was left out in front, in its order, before what the profile made of the rest', () => {
    const env = { PATH: '/ws/b:/usr/bin:/ws/a' };
    expect(withFolders({ PATH: '/extra:/usr/bin', GREETING: 'hi' }, env, ['/ws'])).toEqual({
      PATH: '/ws/b:/ws/a:/extra:/usr/bin',
      GREETING: 'hi',
    });
  });

  test('gets what the profile left when nothing was left out', () => {
    const found = { PATH: '/extra:/usr/bin' };
    expect(withFolders(found, { PATH: '/usr/bin' }, ['/ws'])).toBe(found);
  });
});

describe('a login command in a workspace with untrusted folders', () => {
  test('reads the profile without them, and has them in its own search path', async () => {
    const { run, bin, ran } = workspace();
    plant(bin, 'env', ran);
    plant(bin, 'grep', ran);
    expect(await run('echo "$GREETING"; type -P planted')).toBe(`hello\n${bin}/planted\n`);
    expect(existsSync(ran)).toBe(false);
  });

  test('reads no file before the profile that the environment names', async () => {
    const { run, folder, ran } = workspace({ BASH_ENV: 'PROJECT/first', ENV: 'PROJECT/first' });
    writeFileSync(path.join(folder, 'first'), `[ -n "$TENON_REPORT_END" ] && echo x > ${ran}\n`);
    expect(await run('echo "$GREETING"')).toBe('hello\n');
    expect(existsSync(ran)).toBe(false);
  });

  test('is a login shell itself when the home lies in one of them', async () => {
    const { prepared, folder } = workspace({ HOME: 'PROJECT' });
    writeFileSync(path.join(folder, '.bash_profile'), 'export GREETING=mine\n');
    expect((await prepared('true'))?.argv).toEqual(['/bin/bash', '-lc', 'true']);
  });

  test('or when the home is a link into one of them', async () => {
    const link = path.join(tempFolder(), 'home');
    const { prepared, folder } = workspace({ HOME: link });
    symlinkSync(folder, link);
    expect((await prepared('true'))?.argv).toEqual(['/bin/bash', '-lc', 'true']);
  });

  test('has its profile read beforehand when the home lies elsewhere', async () => {
    const { prepared } = workspace();
    expect(await prepared('true')).toMatchObject({ argv: ['/bin/bash', '-c', 'true'], env: { GREETING: 'hello' } });
  });
});

/** With a folder that commands write to, first in the search path, and a home beside it. `PROJECT` stands for the former. */
function workspace(set: Readonly<Record<string, string>> = {}) {
  const [folder, home] = [tempFolder(), tempFolder()];
  const bin = path.join(folder, 'bin');
  const ran = path.join(home, 'ran');
  mkdirSync(bin);
  plant(bin, 'planted', ran);
  writeFileSync(path.join(home, '.bash_profile'), 'export GREETING=hello\n');
  const own = Object.entries(set).map(([name, value]) => [name, value.replace('PROJECT', folder)]);
  const local = createLocalWorkspace(absolutePath(folder), {
    untrustedFolders: [folder],
    runFolder: path.join(home, 'run'),
    environmentPolicy: {
      ...DEFAULT_ENVIRONMENT_POLICY,
      set: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, ...Object.fromEntries(own) },
    },
  });
  onTestFinished(() => local.close());
  const command = (script: string) => ({ argv: ['/bin/bash', '-lc', script], cwd: local.cwd, label: 'test' });
  return {
    folder,
    bin,
    ran,
    prepared: (script: string) => local.prepare?.({ ...command(script), onOutput: () => {} }),
    run: async (script: string): Promise<string> => {
      const chunks: Uint8Array[] = [];
      const started = await local.spawn({ ...command(script), onOutput: (chunk) => void chunks.push(chunk) });
      await started.exit;
      return Buffer.concat(chunks).toString();
    },
  };
}

/** A program that tells it was run, and goes on as the one it is called like. */
function plant(folder: string, name: string, ran: string): void {
  writeFileSync(path.join(folder, name), `#!/bin/sh\necho ${name} >> ${ran}\nexec /usr/bin/${name} "$@"\n`, {
    mode: 0o755,
  });
}

/** Nothing that a confined command could have written is run by us outside of its sandbox, now or the next time. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';

import { grounds } from '../../support/sandboxed.js';

const ROOT = path.join(import.meta.dirname, '../../..');

describe('a program that a command has put into the search path', () => {
  const NAMES = ['env', 'grep', 'bash', 'sh', 'command', 'printf'];

  test('is not run outside when the next command reads the profile', async () => {
    const field = battlefield();
    const [, told, where] = await field.run([
      plain(
        `${NAMES.map((name) => plant(field, name)).join('; ')}; cp node_modules/.bin/env node_modules/.bin/planted-tool`,
      ),
      login('echo "$GREETING"'),
      plain('type -P planted-tool'),
    ]);
    expect(told).toBe('hello\n');
    expect(where).toBe(`${field.bin}/planted-tool\n`);
    expect(field.ranOutside()).toEqual([]);
  });

  test('also when the whole folder is made by a command, and spelled through a link', async () => {
    const field = battlefield();
    rmSync(path.join(field.project, 'node_modules'), { recursive: true });
    const link = path.join(field.outside, 'link');
    await field.run([plain(`ln -s ${field.project}/node_modules/.bin bin`)]);
    await promisify(execFile)('ln', ['-s', path.join(field.project, 'bin'), link]);
    await field.run([plain(`mkdir -p ${field.bin}; ${plant(field, 'env')}`), login('true')], {
      env: { PATH: `${link}:${process.env['PATH']}` },
    });
    expect(field.ranOutside()).toEqual(['link']);
  });

  test('is not run as what confines commands', async () => {
    const field = battlefield();
    const names = ['bwrap', 'docker', 'podman', 'mkfifo', 'newuidmap'];
    await field.run([plain(names.map((name) => plant(field, name)).join('; '))]);
    for (const backend of ['auto', 'bubblewrap', 'docker']) {
      // A home of its own each time: nothing is remembered, everything is tried.
      await field.run([plain('true')], { home: path.join(field.outside, backend), options: { sandbox: { backend } } });
      rmSync(path.join(field.outside, backend), { recursive: true, force: true });
    }
    expect(field.ranOutside()).toEqual([]);
  });

  test('is not run by `tenon sandbox` and its probe either', async () => {
    const field = battlefield();
    await field.run([plain(['bwrap', 'docker', 'podman', 'sh', 'env'].map((name) => plant(field, name)).join('; '))]);
    await field.tenon(['sandbox', 'probe']);
    expect((await field.tenon(['sandbox', '--', '/bin/echo', 'ran'])).stdout).toBe('ran\n');
    expect(field.ranOutside()).toEqual([]);
  });
});

describe('a file that a shell reads first', () => {
  test('is read inside when the home is the workspace', async () => {
    const field = battlefield();
    const line = `export READ=yes; echo x > ${field.outside}/profile`;
    const files = ['.bash_profile', '.bashrc', '.profile', '.bash_login'];
    const [, , told] = await field.run(
      [plain(files.map((name) => `echo '${line}' > ${name}`).join('; ')), login('true'), login('echo "$READ"')],
      { env: { HOME: field.project } },
    );
    expect(told).toBe('yes\n');
    expect(field.ranOutside()).toEqual([]);
  });

  test('is read inside when the home lies in the workspace', async () => {
    const field = battlefield();
    const home = path.join(field.project, 'some/home');
    const script = `mkdir -p ${home}; echo 'echo x > ${field.outside}/profile' > ${home}/.bash_profile`;
    await field.run([plain(script), login('true')], { env: { HOME: home } });
    expect(field.ranOutside()).toEqual([]);
  });

  test.each([
    [
      'puts a folder of the workspace into the search path',
      (project: string) => `export PATH=${project}/node_modules/.bin:$PATH\n`,
    ],
    ['reads a file of the workspace', (project: string) => `. ${project}/more\n`],
  ])('runs nothing outside when it %s', async (_, profile) => {
    const field = battlefield();
    const home = path.join(field.outside, 'home');
    mkdirSync(home);
    writeFileSync(path.join(home, '.bash_profile'), profile(field.project));
    const planted = `${plant(field, 'env')}; ${plant(field, 'grep')}; echo 'echo x > ${field.outside}/more' > more`;
    await field.run([plain(planted), login('true'), login('true')], { env: { HOME: home } });
    expect(field.ranOutside()).toEqual(['home']);
  });

  test('is not read outside when a variable names it', async () => {
    const field = battlefield();
    const file = path.join(field.project, 'first');
    await field.run([plain(`echo 'echo x > ${field.outside}/first' > ${file}`), login('true'), plain('true')], {
      env: { BASH_ENV: file, ENV: file },
    });
    expect(field.ranOutside()).toEqual([]);
  });
});

describe('our own code', () => {
  const CHANGES = [
    'for f in node_modules/tenon/dist/*.*js; do echo "//" >> $f; done',
    'echo "//" > x; for f in node_modules/tenon/dist/*.*js; do mv -f x $f; done',
    'rm -rf node_modules/tenon/dist',
    'mv node_modules/tenon node_modules/other && mkdir -p node_modules/tenon/dist && echo "//" > node_modules/tenon/dist/index.js',
    'mv node_modules other && mkdir -p node_modules/tenon/dist && echo "//" > node_modules/tenon/dist/index.js',
    'echo "//" > node_modules/tenon/dist/new.js',
    'echo "{}" > node_modules/tenon/package.json',
    'for f in $(find node_modules/zod -name "*.js" -o -name "*.cjs"); do echo "//" >> $f; done',
    'rm -rf node_modules/zod; mkdir -p node_modules/zod && echo "//" > node_modules/zod/index.js',
    'find node_modules/@lydell -name "*.node" -exec sh -c \'echo > "$1"\' sh {} \\;',
  ].map((change) => `(${change}) 2> /dev/null; true`);

  test('is not changed by commands of a library that the project has installed', async () => {
    const field = battlefield();
    const state = install(field);
    const before = state();
    const library = path.join(field.project, 'node_modules/tenon/dist/index.js');
    await field.run([...CHANGES, 'mkdir node_modules/left-pad'].map(plain), { library });
    expect(state()).toEqual(before);
    // What lies beside it is the project's.
    expect(existsSync(path.join(field.project, 'node_modules/left-pad'))).toBe(true);
  });

  test('is not changed by commands of a program that the project has installed', async () => {
    const field = battlefield();
    const state = install(field);
    const before = state();
    const program = path.join(field.project, 'node_modules/tenon/dist/tenon.cjs');
    const { stdout } = await field.tenon(['sandbox', '--', 'sh', '-c', `${CHANGES.join('\n')}\necho tried`], {
      program,
    });
    expect(stdout).toBe('tried\n');
    expect(state()).toEqual(before);
  });

  test('is not changed in what runs it', async () => {
    const field = battlefield();
    const node = path.join(field.project, 'tools/node');
    mkdirSync(path.dirname(node));
    copyFileSync(process.execPath, node);
    const tried = 'echo > tools/node; rm -f tools/node; echo > x; mv -f x tools/node; mv tools other; echo tried';
    const { stdout } = await field.tenon(['sandbox', '--', 'sh', '-c', `{ ${tried}; } 2> /dev/null`], { node });
    expect(stdout).toBe('tried\n');
    expect(readFileSync(node).equals(readFileSync(process.execPath))).toBe(true);
  });
});

type Argv = readonly string[];
type Runs = {
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
  readonly library?: string;
  readonly options?: object;
};
type Started = { readonly program?: string; readonly node?: string };

const plain = (script: string): Argv => ['/bin/bash', '-c', script];
const login = (script: string): Argv => ['/bin/bash', '-lc', script];

/** A project whose folder of programs comes first in the search path, and a folder that no command may write to. */
function battlefield() {
  const { project, userHome, ownHome } = grounds();
  // Not where everybody may write by default.
  const outside = realpathSync(mkdtempSync('/var/tmp/tenon-test-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const bin = path.join(realpathSync(project), 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(userHome, '.bash_profile'), 'export GREETING=hello\n');
  const settings = { excludeSlashTmp: true, excludeTmpdir: true };
  const environment = { ...process.env, HOME: userHome, PATH: `${bin}:${process.env['PATH']}`, TENON_HOME: ownHome };
  const start = async (node: string, args: Argv, env: NodeJS.ProcessEnv) =>
    promisify(execFile)(node, [...args], { cwd: project, env, timeout: 25_000 });
  return {
    project: realpathSync(project),
    bin,
    outside,
    ranOutside: () => readdirSync(outside),
    /** Commands one after the other in one process of a user; what each has printed. */
    async run(commands: readonly Argv[], { env = {}, home = ownHome, library, options }: Runs = {}) {
      const given = { cwd: project, home, sandboxMode: 'workspace-write', sandbox: settings };
      const all = { ...given, ...options, sandbox: { ...settings, ...(options as { sandbox?: object })?.sandbox } };
      const script = runScript(library ?? path.join(ROOT, 'dist/index.js'), all, commands);
      const { stdout } = await start(process.execPath, ['--input-type=module', '-e', script], {
        ...environment,
        ...env,
      });
      return JSON.parse(stdout) as readonly string[];
    },
    async tenon(args: Argv, { program = path.join(ROOT, 'dist/tenon.cjs'), node = process.execPath }: Started = {}) {
      const closed = '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
      writeFileSync(path.join(ownHome, 'config.toml'), closed);
      return start(node, [program, ...args], environment);
    },
  };
}

type Battlefield = ReturnType<typeof battlefield>;

function runScript(library: string, options: object, commands: readonly Argv[]): string {
  return `
    import { createCommandSandbox } from ${JSON.stringify(library)};
    const sandbox = createCommandSandbox(${JSON.stringify(options)});
    const told = [];
    for (const argv of ${JSON.stringify(commands)}) {
      let text = '';
      const onOutput = (chunk) => { text += Buffer.from(chunk); };
      await sandbox.start({ argv, cwd: sandbox.cwd, onOutput }).then(({ exit }) => exit, (error) => { text = error.message; });
      told.push(text);
    }
    await sandbox.close();
    process.stdout.write(JSON.stringify(told));`;
}

/** Shell words that put a program there. It leaves a file outside when it can, and is what it is called like. */
function plant({ bin, outside }: Battlefield, name: string): string {
  const file = `${bin}/${name}`;
  return `printf '#!/bin/bash\\n[ -w ${outside} ] && : > ${outside}/${name}\\nPATH=/usr/bin:/bin exec ${name} "$@"\\n' > ${file}; /bin/chmod +x ${file}`;
}

/** Puts the package and what it needs into the project; what there is of it then. */
function install({ project }: Battlefield): () => Readonly<Record<string, string>> {
  const modules = path.join(project, 'node_modules');
  for (const name of ['dist', 'package.json']) {
    cpSync(path.join(ROOT, name), path.join(modules, 'tenon', name), { recursive: true });
  }
  const packages = ['zod', 'smol-toml', 'eventsource-parser', 'unbash', 'commander', '@lydell'];
  for (const name of packages)
    cpSync(path.join(ROOT, 'node_modules', name), path.join(modules, name), { recursive: true });
  return () =>
    Object.fromEntries(
      ['tenon', ...packages].flatMap((name) =>
        readdirSync(path.join(modules, name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && /\.(?:c?js|json|node)$/.test(entry.name))
          .map((entry) => path.join(entry.parentPath, entry.name))
          .map((file) => [path.relative(modules, file), readFileSync(file, 'latin1')]),
      ),
    );
}

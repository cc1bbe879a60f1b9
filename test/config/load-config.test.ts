import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConfigError, loadConfig, runtimeOptions } from '../../src/index.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

async function load(toml: string | undefined, overrides: readonly string[] = []) {
  const home = tempFolder();
  if (toml !== undefined) writeFileSync(path.join(home, 'config.toml'), toml);
  const warnings: string[] = [];
  const config = await loadConfig({
    home,
    overrides,
    onWarning: (message) => warnings.push(message.replace(home, '~')),
  });
  return { config, warnings };
}

describe('loadConfig', () => {
  test('nothing configured is an empty configuration', async () => {
    expect(await load(undefined)).toEqual({ config: {}, warnings: [] });
  });

  test('flags win over the file, tables are merged', async () => {
    const { config } = await load(
      'model = "a"\nsandbox_mode = "read-only"\n[features]\nshell_tool = true\nunified_exec = false\n',
      ['model="b"', 'features.shell_tool=false'],
    );
    expect(config).toEqual({
      model: 'b',
      sandbox_mode: 'read-only',
      features: { shell_tool: false, unified_exec: false },
    });
  });

  test('a flag may leave out the quotes', async () => {
    expect((await load(undefined, ['sandbox_mode=read-only', 'experimental_supported_tools=["a"]'])).config).toEqual({
      sandbox_mode: 'read-only',
      experimental_supported_tools: ['a'],
    });
  });

  test('an unknown key is ignored, with a word about it', async () => {
    const { config, warnings } = await load('aproval_policy = "never"\nwhatever = 1\n', ['features.shel_tool=false']);
    expect(config).toEqual({ features: {} });
    expect(warnings).toEqual([
      '~/config.toml:1:1: unknown key `aproval_policy` is ignored; did you mean `approval_policy`?',
      '~/config.toml:2:1: unknown key `whatever` is ignored',
      '-c features.shel_tool=false: unknown key `features.shel_tool` is ignored; did you mean `shell_tool`?',
    ]);
  });

  test('a variable may be written without quotes, it is text all the same', async () => {
    const { config, warnings } = await load(
      '[shell_environment_policy]\ninherit = "core"\nset = { CI = 1, RATIO = 0.5, DEBUG = true, NAME = "x" }\n',
      ['shell_environment_policy.set.CI=2', 'shell_environment_policy.exclude=["AWS_*"]'],
    );
    expect({ config, warnings }).toEqual({
      config: {
        shell_environment_policy: {
          inherit: 'core',
          exclude: ['AWS_*'],
          set: { CI: '2', RATIO: '0.5', DEBUG: 'true', NAME: 'x' },
        },
      },
      warnings: [],
    });
  });

  test('an unknown key of the environment policy is ignored, with a word about it', async () => {
    const { config, warnings } = await load('[shell_environment_policy]\nexcludes = ["A"]\nset = { ANY_NAME = "x" }\n');
    expect(config).toEqual({ shell_environment_policy: { set: { ANY_NAME: 'x' } } });
    expect(warnings).toEqual([
      '~/config.toml:2:1: unknown key `shell_environment_policy.excludes` is ignored; did you mean `exclude`?',
    ]);
  });

  test('an unknown key of the sandbox is ignored, with a word about it, however deep it stands', async () => {
    const { config, warnings } = await load(
      `
        [sandbox]
        hid = ["~/x"]
        [sandbox.limits]
        memory = 5
        processes = 9
        [sandbox_workspace_write]
        writable_root = ["/a"]
        [tool_security]
        allowed_domains = ["a.example"]
      `,
      ['sandbox.limits.cpu_second=1'],
    );
    expect(config).toEqual({
      sandbox: { limits: { processes: 9 } },
      sandbox_workspace_write: {},
      tool_security: {},
    });
    expect(warnings).toEqual([
      '~/config.toml:3:9: unknown key `sandbox.hid` is ignored; did you mean `hide`?',
      '~/config.toml:5:9: unknown key `sandbox.limits.memory` is ignored',
      '~/config.toml:8:9: unknown key `sandbox_workspace_write.writable_root` is ignored; did you mean `writable_roots`?',
      '~/config.toml:10:9: unknown key `tool_security.allowed_domains` is ignored',
      '-c sandbox.limits.cpu_second=1: unknown key `sandbox.limits.cpu_second` is ignored; did you mean `cpu_seconds`?',
    ]);
  });

  const broken: readonly (readonly [
    what: string,
    toml: string | undefined,
    overrides: readonly string[],
    message: RegExp,
  ])[] = [
    [
      'a wrong value in the file',
      'sandbox_mode = "open"',
      [],
      /config\.toml:1:16: unknown variant `open`, expected one of `read-only`/,
    ],
    [
      'a wrong type in the file',
      'model = 5',
      [],
      /config\.toml:1:9: invalid type: integer `5`, expected a string at `model`/,
    ],
    [
      'a wrong value in a flag',
      undefined,
      ['approval_policy=maybe'],
      /^-c approval_policy=maybe: unknown variant `maybe`/,
    ],
    [
      'an environment that is neither all, core nor none',
      '[shell_environment_policy]\ninherit = "some"',
      [],
      /config\.toml:2:11: unknown variant `some`, expected one of `all`, `core`, `none` at `shell_environment_policy\.inherit`/,
    ],
    [
      'a pattern that is not in a list',
      undefined,
      ['shell_environment_policy.exclude=AWS_*'],
      /^-c shell_environment_policy\.exclude=AWS_\*: invalid type: string "AWS_\*", expected an array/,
    ],
    [
      'a variable that is a list',
      '[shell_environment_policy.set]\nA = ["x"]',
      [],
      /config\.toml:2:5: invalid value a list at `shell_environment_policy\.set\.A`/,
    ],
    [
      'a login shell that is neither allowed nor not',
      'allow_login_shell = "no"',
      [],
      /config\.toml:1:21: invalid type: string "no", expected a boolean at `allow_login_shell`/,
    ],
    [
      'an unknown way with colours',
      undefined,
      ['output_ansi=drop'],
      /^-c output_ansi=drop: unknown variant `drop`, expected one of `strip`, `keep` at `output_ansi`/,
    ],
    [
      'an unknown sandbox',
      undefined,
      ['sandbox_policy=chrot'],
      /^-c sandbox_policy=chrot: unknown variant `chrot`, expected one of `auto`, `cell`, .* at `sandbox_policy`/,
    ],
    [
      'sockets that are neither none nor private',
      '[sandbox]\nunix_sockets = "all"',
      [],
      /config\.toml:2:16: unknown variant `all`, expected one of `none`, `private` at `sandbox\.unix_sockets`/,
    ],
    [
      'a limit that is none',
      '[sandbox.limits]\nprocesses = 0',
      [],
      /config\.toml:2:13: .*`sandbox\.limits\.processes`/,
    ],
    [
      'a limit that is no number',
      '[sandbox.limits]\nmemory_mb = "much"',
      [],
      /config\.toml:2:13: invalid type: string "much", expected .* at `sandbox\.limits\.memory_mb`/,
    ],
    [
      'hosts that are not in a list',
      undefined,
      ['tool_security.allowed_network_domains=a.example'],
      /^-c tool_security\.allowed_network_domains=a\.example: invalid type: string "a\.example", expected an array/,
    ],
    [
      'a network that is neither on nor off',
      '[sandbox_workspace_write]\nnetwork_access = "yes"',
      [],
      /config\.toml:2:18: invalid type: string "yes", expected a boolean at `sandbox_workspace_write\.network_access`/,
    ],
    ['a file that is not TOML', 'model = ', [], /config\.toml:1:\d+ is not valid TOML: /],
    ['a flag without a value', undefined, ['model'], /^-c model: write it as key=value/],
    ['a flag with an empty key', undefined, ['a..b=1'], /^-c a\.\.b=…: write it as key=value/],
    ['a flag with nothing before the sign', undefined, ['=1'], /^-c =…: write it as key=value/],
  ];

  test.each(broken)('%s is explained', async (_, toml, overrides, message) => {
    await expect(load(toml, overrides)).rejects.toThrow(message);
    await expect(load(toml, overrides)).rejects.toBeInstanceOf(ConfigError);
  });

  test('a file that cannot be read stops, it is not skipped', async () => {
    const home = tempFolder();
    mkdirSync(path.join(home, 'config.toml'));
    await expect(loadConfig({ home })).rejects.toThrow(/config\.toml cannot be read: /);
  });

  test('any text as a flag is either taken or explained', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.string(), fc.string()).map((pair) => pair.join('=')),
        ),
        async (override) => {
          await load(undefined, [override]).catch((error: unknown) => expect(error).toBeInstanceOf(ConfigError));
        },
      ),
      propertyRuns(200),
    );
  });
});

describe('runtimeOptions', () => {
  test('defaults', () => {
    expect(runtimeOptions({})).toEqual({
      approvalPolicy: 'on-request',
      sandboxMode: 'workspace-write',
      sandboxRequired: false,
      sandbox: { limits: {} },
      selection: { shellType: 'unified_exec', patchFace: 'freeform', images: true, experimental: [], overrides: {} },
      preview: false,
      keepChanges: true,
      outputBudget: { unit: 'tokens', amount: 10_000 },
      outputAnsi: 'strip',
      allowLoginShell: true,
      environmentPolicy: { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
    });
  });

  test('other words for policies', () => {
    expect(
      ['none', 'required', 'sandbox'].map((word) => runtimeOptions({ approval_policy: word }).approvalPolicy),
    ).toEqual(['never', 'always', 'on-failure']);
  });

  test('a policy that promises a sandbox is not combined with none', () => {
    expect(() => runtimeOptions({ approval_policy: 'sandbox', sandbox_mode: 'danger-full-access' })).toThrow(
      ConfigError,
    );
  });

  test('patches: a key names how they are handed over, a feature asks for free text, the model family decides otherwise', () => {
    const face = (config: Parameters<typeof runtimeOptions>[0]) => runtimeOptions(config).selection.patchFace;
    expect(face({ apply_patch_tool_type: 'structured', features: { apply_patch_freeform: true } })).toBe('structured');
    expect(face({ model: 'some-model', features: { apply_patch_freeform: true } })).toBe('freeform');
    expect([face({ model: 'some-model' }), face({ model: 'gpt-5.1-codex' }), face({ model: 'gpt-oss:20b' })]).toEqual([
      'function',
      'freeform',
      'function',
    ]);
  });

  test('previews are asked for, and what is replaced is kept unless that is switched off', () => {
    expect(runtimeOptions({ preview: true }).preview).toBe(true);
    expect(runtimeOptions({ features: { undo: false } }).keepChanges).toBe(false);
  });

  test('the shell: a feature switches it off, a key names it, the model family decides otherwise', () => {
    const shell = (config: Parameters<typeof runtimeOptions>[0]) => runtimeOptions(config).selection.shellType;
    expect(shell({ features: { shell_tool: false }, shell_type: 'shell' })).toBe('disabled');
    expect(shell({ shell_type: 'shell' })).toBe('shell');
    expect(shell({ model: 'gpt-5.1-codex-max' })).toBe('unified_exec');
    expect(shell({ model: 'gpt-5.1-codex-max', features: { unified_exec: false } })).toBe('shell_command');
    expect(shell({ model: 'codex-mini-latest', features: { unified_exec: false } })).toBe('local_shell');
  });

  test('the budget: by family, and a limit is always in tokens', () => {
    const budget = (config: Parameters<typeof runtimeOptions>[0]) => runtimeOptions(config).outputBudget;
    expect(['gpt-5.1', 'gpt-5.2', 'gpt-6.1-sol'].map((model) => budget({ model }).unit)).toEqual([
      'bytes',
      'tokens',
      'tokens',
    ]);
    expect(budget({ model: 'some-other-model' })).toEqual({ unit: 'bytes', amount: 10_000 });
    expect(budget({ model: 'some-other-model', tool_output_token_limit: 100 })).toEqual({ unit: 'bytes', amount: 400 });
    expect(budget({ model: 'gpt-5-codex', tool_output_token_limit: 100 })).toEqual({ unit: 'tokens', amount: 100 });
  });

  test('single tools, in both spellings', () => {
    expect(runtimeOptions({ tools: { a: true, b: { enabled: false } } }).selection.overrides).toEqual({
      a: true,
      b: false,
    });
  });

  test('the environment of commands, as the table says', () => {
    const options = runtimeOptions({
      shell_environment_policy: {
        inherit: 'none',
        ignore_default_excludes: true,
        exclude: ['AWS_*'],
        set: { CI: '1' },
        include_only: ['PATH'],
      },
    });
    expect(options.environmentPolicy).toEqual({
      inherit: 'none',
      ignoreDefaultExcludes: true,
      exclude: ['AWS_*'],
      set: { CI: '1' },
      includeOnly: ['PATH'],
    });
  });

  test('what a table leaves out stays at its default', () => {
    expect(runtimeOptions({ shell_environment_policy: { inherit: 'core' } }).environmentPolicy).toEqual({
      inherit: 'core',
      ignoreDefaultExcludes: false,
      exclude: [],
      set: {},
      includeOnly: [],
    });
  });

  test('the sandbox, from all of its tables', async () => {
    const { config, warnings } = await load(`
      sandbox_policy = "bubblewrap"
      [sandbox_workspace_write]
      writable_roots = ["/a", "b"]
      network_access = true
      exclude_slash_tmp = true
      exclude_tmpdir_env_var = false
      [sandbox]
      hide = ["~/notes"]
      show = ["~/.npmrc"]
      unix_sockets = "private"
      watch_paths = true
      chroot_root = "/srv/root"
      container_engine = "podman"
      vm_kernel = "/boot/vmlinuz"
      [sandbox.limits]
      memory_mb = 1.5
      processes = 64
      cpu_seconds = 10
      file_mb = 2
      wall_seconds = 30
      [tool_security]
      allowed_network_domains = ["registry.npmjs.org", "*.example"]
    `);
    expect(warnings).toEqual([]);
    expect(runtimeOptions(config).sandbox).toEqual({
      backend: 'bubblewrap',
      writableRoots: ['/a', 'b'],
      network: true,
      excludeSlashTmp: true,
      excludeTmpdir: false,
      hide: ['~/notes'],
      show: ['~/.npmrc'],
      unixSockets: 'private',
      watchPaths: true,
      chrootRoot: '/srv/root',
      containerEngine: 'podman',
      vmKernel: '/boot/vmlinuz',
      limits: { memoryBytes: 1_572_864, processes: 64, cpuSeconds: 10, fileBytes: 2_097_152, wallSeconds: 30 },
      allowedHosts: ['registry.npmjs.org', '*.example'],
    });
  });

  test('login shells and colours, as configured', () => {
    expect(runtimeOptions({ allow_login_shell: false, output_ansi: 'keep' })).toMatchObject({
      allowLoginShell: false,
      outputAnsi: 'keep',
    });
  });
});

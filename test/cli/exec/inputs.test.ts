import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { execSettings } from '../../../src/cli/exec/exec-settings.js';
import type { ExecFlags } from '../../../src/cli/exec/flags.js';
import { readOutputSchema } from '../../../src/cli/exec/output-schema.js';
import { readImages } from '../../../src/cli/exec/read-images.js';
import { tempFolder } from '../../support/temp-folder.js';

function fileWith(content: string | Buffer, name = 'file'): string {
  const file = path.join(tempFolder(), name);
  writeFileSync(file, content);
  return file;
}

describe('the schema for an answer', () => {
  test('is taken from its file, also after a byte order mark', () => {
    expect(readOutputSchema(fileWith('\uFEFF{"type":"object"}'))).toEqual({
      name: 'tenon_output_schema',
      schema: { type: 'object' },
      strict: true,
    });
  });

  test.each([
    ['{', /--output-schema .* is not valid JSON: /],
    ['[]', /--output-schema .*: a JSON schema is an object/],
  ])('%s is none', (content, message) => {
    expect(() => readOutputSchema(fileWith(content))).toThrow(message);
  });

  test('has an end', () => {
    const file = fileWith(`${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`);
    expect(() => readOutputSchema(file)).toThrow(/: it is nested more deeply than any server takes$/);
  });

  test('has to be there', () => {
    expect(() => readOutputSchema('/no/such/file')).toThrow(/--output-schema \/no\/such\/file cannot be read: ENOENT/);
  });
});

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

describe('images', () => {
  test('are numbered, and a list may stand between commas', async () => {
    const [first, second] = [fileWith(GIF, 'a.gif'), fileWith(GIF, 'b,c.gif')];
    const parts = await readImages([second, `${first},${first}`]);
    expect(parts.map((part) => (part.kind === 'text' ? part.text : part.mediaType))).toEqual(
      [second, first, first].flatMap((file, index) => [
        `<image name=[Image #${index + 1}] path="${file}">`,
        'image/gif',
        '</image>',
      ]),
    );
  });

  test.each([
    ['/no/such.png', /--image \/no\/such\.png: unable to locate image/],
    [import.meta.filename, /--image .*: unable to process image: invalid or unsupported image data/],
    ['/', /--image \/: image path `\/` is not a file/],
  ])('%s is none', async (file, message) => {
    await expect(readImages([file])).rejects.toThrow(message);
  });
});

describe('flags', () => {
  const NONE: ExecFlags = { config: [], image: [], addDir: [], enable: [], disable: [], color: 'never' };

  async function configOf(flags: Partial<ExecFlags>): Promise<unknown> {
    return (await execSettings(tempFolder(), { ...NONE, ...flags })).config;
  }

  test('are other names for settings', async () => {
    expect(
      await configOf({
        model: '1234',
        sandbox: 'read-only',
        askForApproval: 'always',
        search: true,
        maxRequests: '3',
        maxTime: '1.5',
        enable: ['undo'],
        disable: ['shell_tool'],
      }),
    ).toEqual({
      model: '1234',
      sandbox_mode: 'read-only',
      approval_policy: 'always',
      web_search: 'live',
      limits: { requests: 3, wall_seconds: 1.5 },
      features: { undo: true, shell_tool: false },
    });
  });

  test('say more than a profile, which says more than nothing', async () => {
    const config = ['profiles.fast.model="small"', 'profiles.fast.model_verbosity="low"'];
    expect(await configOf({ config, profile: 'fast', model: 'large' })).toMatchObject({
      model: 'large',
      model_verbosity: 'low',
    });
  });

  test.each<readonly [flags: Partial<ExecFlags>, config: object]>([
    [{}, { approval_policy: 'never' }],
    [{ askForApproval: 'on-failure' }, { approval_policy: 'never' }],
    [{ askForApproval: 'sandbox' }, { approval_policy: 'sandbox' }],
    [{ askForApproval: 'untrusted' }, { approval_policy: 'untrusted' }],
    [{ fullAuto: true }, { approval_policy: 'never', sandbox_mode: 'workspace-write' }],
    [
      { fullAuto: true, sandbox: 'read-only' },
      { approval_policy: 'never', sandbox_mode: 'read-only' },
    ],
    [{ dangerouslyBypassApprovalsAndSandbox: true }, { approval_policy: 'never', sandbox_mode: 'danger-full-access' }],
  ])('%j with nobody to ask means %j', async (flags, config) => {
    expect(await configOf(flags)).toEqual(config);
  });

  test.each<readonly [flags: Partial<ExecFlags>, message: RegExp]>([
    [{ maxRequests: 'many' }, /--max-requests many/],
    [{ maxTime: '' }, /--max-time/],
    [{ sandbox: 'open' }, /--sandbox open/],
    [{ profile: 'nobody' }, /nobody/],
    [{ enable: ['flying'], strictConfig: true }, /--enable flying.*features\.flying/],
  ])('%j is refused by the name it was given', async (flags, message) => {
    await expect(configOf(flags)).rejects.toThrow(message);
  });
});

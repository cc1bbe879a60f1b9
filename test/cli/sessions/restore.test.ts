import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { ScriptedRequest } from '../../../src/testing/index.js';
import { tempFolder } from '../../support/temp-folder.js';
import { KEY, command, eventsOf, firstTurn, stand, threadOf } from './stand.js';
import type { Stand } from './stand.js';

const ONLY_THE_WORKSPACE = ['exclude_slash_tmp', 'exclude_tmpdir_env_var'].flatMap((key) => [
  '-c',
  `sandbox_workspace_write.${key}=true`,
]);
const TALK = Array.from({ length: 6 }, (_, index) => ({ text: String(index) }));

/** All that a request says beside the conversation. */
function shapeOf(request: ScriptedRequest | undefined): object {
  const { input: _, ...shape } = request?.body ?? {};
  return shape;
}

async function resume(at: Stand, args: readonly string[] = []): Promise<ReturnType<typeof threadOf>> {
  return threadOf(await at.run(['exec', '--json', 'resume', '--last', 'more', ...args]));
}

describe('what a session was begun with holds when it goes on:', () => {
  const flags = [
    '-m model-a -s read-only -a untrusted --search --disable shell_tool',
    '-c model_provider=second -c model_providers.second.dialect="openai"',
    '-c model_reasoning_effort=high -c model_verbosity="low" -c tools.update_plan=false',
  ].flatMap((line) => line.split(' '));

  test('the model, its server, the sandbox, the policy, and whatever else a flag said', async () => {
    const at = await stand(TALK);
    const first = threadOf(await at.run(['exec', '--json', 'one', ...flags]));
    expect(first).toMatchObject({
      model: 'model-a',
      provider: 'second',
      sandbox_mode: 'read-only',
      approval_policy: 'untrusted',
    });
    expect(await resume(at)).toEqual(first);
    expect(await resume(at)).toEqual(first);
    const [shape, ...later] = at.model.requests.map(shapeOf);
    expect(shape).toMatchObject({ reasoning: { effort: 'high' }, text: { verbosity: 'low' } });
    expect(JSON.stringify(shape)).not.toContain('update_plan');
    expect(later).toEqual([shape, shape]);
    expect(at.linesOf(first.thread_id).filter(({ type }) => type === 'settings.chosen')).toHaveLength(1);
  });

  test('what flags say now counts more, and from then on', async () => {
    const at = await stand(TALK);
    const first = threadOf(await at.run(['exec', '--json', 'one', ...flags]));
    const now = ['-m', 'model-b', '-s', 'workspace-write', '-a', 'never', '-c', 'model_reasoning_effort=low'];
    const changed = { ...first, model: 'model-b', sandbox_mode: 'workspace-write', approval_policy: 'never' };
    expect(await resume(at, now)).toEqual(changed);
    expect(await resume(at)).toEqual(changed);
    for (const request of at.model.requests.slice(1)) {
      expect(shapeOf(request)).toMatchObject({
        model: 'model-b',
        reasoning: { effort: 'low' },
        text: { verbosity: 'low' },
      });
    }
    expect(at.talk(2)).toEqual(['user: one', 'assistant: 0', 'user: more', 'assistant: 1', 'user: more']);
    const chosen = at.linesOf(first.thread_id).flatMap((line) => (line.type === 'settings.chosen' ? [line.model] : []));
    expect(chosen).toEqual(['model-a', 'model-b']);
  });

  test('also what only the files said of these, which may say something else by now', async () => {
    const at = await stand(TALK, 'sandbox_mode = "read-only"\napproval_policy = "untrusted"\n');
    const first = threadOf(await at.run(['exec', '--json', 'one']));
    const file = path.join(at.home, 'config.toml');
    const text = readFileSync(file, 'utf8')
      .replace('"scripted-model"', '"other"')
      .replace('"scripted"', '"second"')
      .replace('"read-only"', '"danger-full-access"')
      .replace('"untrusted"', '"never"');
    writeFileSync(file, text);
    expect(await resume(at)).toEqual(first);
  });

  test('the profile, until another one is chosen', async () => {
    const at = await stand(
      TALK,
      '[profiles.small]\nmodel = "small"\n[profiles.large]\nmodel = "large"\nsandbox_mode = "read-only"',
    );
    const models = [await at.run(['exec', '--json', 'one', '-p', 'small'])].map((result) => threadOf(result).model);
    for (const args of [[], ['-p', 'large'], []]) models.push((await resume(at, args)).model);
    expect(models).toEqual(['small', 'small', 'large', 'large']);
    expect((await resume(at)).sandbox_mode).toBe('read-only');
  });

  test('the server of this machine that was found, until another one is named', async () => {
    const at = await stand(TALK);
    const first = threadOf(await at.run(['exec', '--json', 'one', '--local-provider', 'second']));
    expect(first.provider).toBe('second');
    expect(await resume(at)).toEqual(first);
    expect((await resume(at, ['-c', 'model_provider=scripted'])).provider).toBe('scripted');
    expect((await resume(at, ['--local-provider', 'second', '-m', 'x'])).provider).toBe('second');
  });

  test('limits', async () => {
    const at = await stand([{ text: 'First.' }, { calls: [command('true')] }, { text: 'never' }]);
    await firstTurn(at, ['--max-requests', '1']);
    const result = await at.run(['exec', '--json', 'resume', '--last', 'two']);
    expect(result.code).toBe(1);
    expect(eventsOf(result).at(-1)).toMatchObject({ type: 'turn.failed', error: { kind: 'limit' } });
  });

  test('folders that may be written to, as long as they are there', async () => {
    const [one, gone] = [tempFolder(), path.join(tempFolder(), 'gone')];
    const at = await stand([{ text: 'First.' }, { calls: [command(`echo hi > ${one}/made`)] }, { text: 'Done.' }]);
    mkdirSync(path.join(gone, 'deep'), { recursive: true });
    await firstTurn(at, ['--add-dir', one, '--add-dir', path.join(gone, 'deep'), ...ONLY_THE_WORKSPACE]);
    rmSync(gone, { recursive: true });
    writeFileSync(gone, 'a file by now');
    const { code, stderr } = await at.run(['exec', 'resume', '--last', 'two']);
    expect(code).toBe(0);
    expect(readFileSync(path.join(one, 'made'), 'utf8')).toBe('hi\n');
    expect(stderr).toContain(`--add-dir ${path.join(gone, 'deep')} of the session: there is no such folder any more`);
  });

  test('that no rules are read', async () => {
    const at = await stand([{ text: 'First.' }, { calls: [command('touch made')] }, { text: 'Done.' }]);
    mkdirSync(path.join(at.home, 'rules'));
    const rule = '[[command]]\npattern = ["touch"]\ndecision = "forbidden"\njustification = "no"\n';
    writeFileSync(path.join(at.home, 'rules', 'own.toml'), rule);
    await firstTurn(at, ['--ignore-rules', '-s', 'danger-full-access']);
    const result = await at.run(['exec', '--json', 'resume', '--last', 'two']);
    expect(result.stdout).not.toContain('refusal');
    expect(readFileSync(path.join(at.cwd, 'made'), 'utf8')).toBe('');
  });
});

describe('a secret', () => {
  /** The keys that a run says are missing. */
  function missingIn(stderr: string): readonly string[] {
    return [...stderr.matchAll(/warning: (\S+) is not kept, as it may be a secret/g)].map(([, key = '']) => key);
  }

  test('is not kept, whichever way it came; what is missing is said until it is passed again', async () => {
    const at = await stand(TALK);
    const header = ['-c', 'model_providers.scripted.http_headers={ "X-Team" = "team-value-1234" }'];
    const query = ['-c', 'model_providers.scripted.query_params.token="query-value-1234"'];
    const login = [
      '-c',
      `model_providers.second.base_url="${at.model.baseUrl.replace('://', '://me:login-value-1234@')}"`,
    ];
    const id = await firstTurn(at, [...header, ...query, ...login]);
    const [first] = at.model.requests;
    expect([first?.headers['x-team'], first?.headers['authorization'], first?.path]).toEqual([
      'team-value-1234',
      `Bearer ${KEY}`,
      '/v1/responses?token=query-value-1234',
    ]);
    const { stderr } = await at.run(['exec', '--json', 'resume', id, 'two', ...query]);
    expect(missingIn(stderr)).toEqual([
      'model_providers.scripted.http_headers.X-Team',
      'model_providers.second.base_url',
    ]);
    expect(at.model.requests[1]?.headers['x-team']).toBeUndefined();

    const again = await at.run(['exec', '--json', 'resume', id, 'three', ...header, ...query, ...login]);
    expect(missingIn(again.stderr)).toEqual([]);
    expect(at.model.requests[2]?.headers['x-team']).toBe('team-value-1234');
    const kept = readFileSync(at.fileOf(id), 'utf8');
    expect(
      [KEY, 'team-value-1234', 'query-value-1234', 'login-value-1234'].filter((each) => kept.includes(each)),
    ).toEqual([]);
  });
});

/** Models that would rather not be seen, and settings that are none. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import type { ExecEvent, ItemOf } from '../../../src/cli/exec/exec-event.js';
import type { ModelScript } from '../../../src/testing/index.js';
import { runCli } from '../../support/cli.js';
import { scriptedModel } from '../../support/model-server.js';
import { tempFolder } from '../../support/temp-folder.js';

const SECRETS = {
  SCRIPTED_PASS: 'sk-of-the-test-0123456789',
  SCRIPTED_ACCOUNT: 'account-of-the-test-0123456789',
  SEARCH_PASS: 'search-of-the-test-0123456789',
};

type Told = { readonly stdout: string; readonly commands: readonly ItemOf<'command_execution'>[] };

/** What is told of the commands that a script has run. */
async function told(script: ModelScript): Promise<Told> {
  const [model, home] = [await scriptedModel(script), tempFolder()];
  writeFileSync(
    path.join(home, 'config.toml'),
    `model = "scripted-model"
model_provider = "scripted"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
base_url = "${model.baseUrl}"
wire_api = "responses"
env_key = "SCRIPTED_PASS"
env_http_headers = { "x-account" = "SCRIPTED_ACCOUNT" }
[web_search_backend]
kind = "tavily"
env_key = "SEARCH_PASS"
`,
  );
  const { stdout } = await runCli(['exec', '--json', 'go'], { home, cwd: tempFolder(), env: SECRETS });
  const lines = stdout.trimEnd().split('\n');
  const commands = lines.flatMap((line) => {
    const event = JSON.parse(line) as ExecEvent;
    return event.type === 'item.completed' && event.item.type === 'command_execution' ? [event.item] : [];
  });
  return { stdout, commands };
}

function command(cmd: string): { name: string; arguments: { cmd: string; login: boolean }; callId: string } {
  return { name: 'exec_command', arguments: { cmd, login: false }, callId: 'call_0' };
}

test('no arguments keep the commands behind them from being told', async () => {
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const script = [{ calls: [{ name: 'none', arguments: deep }] }, { calls: [command('echo seen')] }, { text: 'Done.' }];
  const { commands } = await told(script);
  expect(commands.map(({ aggregated_output: output }) => output)).toEqual(['seen\n']);
});

test('nor does the id of a command that still runs', async () => {
  const { name, arguments: given, callId } = command('echo first; sleep 60');
  const { commands } = await told([
    { calls: [{ name, arguments: { ...given, yield_time_ms: 250 }, callId }] },
    { calls: [command('echo second')] },
    { text: 'Done.' },
  ]);
  expect(commands.map(({ call, aggregated_output: output }) => [call, output])).toEqual([
    ['call_0-2', 'second\n'],
    ['call_0', 'first\n'],
  ]);
});

test('commands do not see what only the server may know, whatever the variable is called', async () => {
  const { stdout, commands } = await told([
    { calls: [command('echo "[$SCRIPTED_PASS$SCRIPTED_ACCOUNT$SEARCH_PASS]"')] },
    { text: 'Done.' },
  ]);
  expect(commands.map(({ aggregated_output: output }) => output)).toEqual(['[]\n']);
  for (const secret of Object.values(SECRETS)) expect(stdout).not.toContain(secret);
});

test('what is wrong is told without escape sequences', async () => {
  const { code, stderr } = await runCli(['exec', '--profile', 'a\u001b]0;b\u0007', 'go'], { home: tempFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain('there is no profile `a\\u{1b}]0;b\\u{7}`');
  expect(stderr).not.toContain('\u001b');
});

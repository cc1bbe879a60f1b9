/**
 * The program is stopped at any moment, by any signal, and goes on as often as it takes. Whatever happens, no step is
 * done twice, what the model was told stays told, and nothing of what was started lives on.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';

import type { ScriptedModel, ScriptedRequest, ScriptedTurn } from '../../src/testing/index.js';
import { answersIn } from '../support/agent.js';
import { finished, runCli, startCli } from '../support/cli.js';
import { endMarked, marked } from '../support/marked-processes.js';
import { scriptedModel } from '../support/model-server.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';

const KILLS = propertyRuns(12, 1_000).numRuns;
const STEPS = 6;
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const;

/** Each step leaves a trace, and for a moment a process that can be told from all others. */
function step(number: number, mark: string, tries: number) {
  const cmd = `echo ${number} >> steps.txt; exec -a ${mark} sleep 0.0${randomInt(1, 4)}`;
  return { name: 'exec_command', arguments: { cmd, login: false }, callId: `step-${number}-${tries}` };
}

/** A model that asks for two steps at a time and again only for what was never begun, as a careful one would. */
function careful(mark: string): (request: ScriptedRequest) => ScriptedTurn {
  return (request) => {
    const answers = answersIn(request).map(([id, text]) => ({
      step: Number(String(id).split('-')[1]),
      text: String(text),
    }));
    const begun = new Set(answers.flatMap((each) => (each.text.startsWith('never started') ? [] : [each.step])));
    const missing = Array.from({ length: STEPS }, (_, at) => at).filter((number) => !begun.has(number));
    if (missing.length === 0) return { text: 'All steps are done.' };
    return { text: 'Next.', calls: missing.slice(0, 2).map((number) => step(number, mark, answers.length)) };
  };
}

type Stand = { readonly home: string; readonly cwd: string; readonly model: ScriptedModel; readonly mark: string };

async function stand(round: number): Promise<Stand> {
  const mark = `kills-${process.pid}-${round}-${randomInt(1e9)}`;
  const [model, home, cwd] = [await scriptedModel(careful(mark)), tempFolder(), tempFolder()];
  const provider = `model_provider = "scripted"\n[model_providers.scripted]\nbase_url = "${model.baseUrl}"\n`;
  writeFileSync(path.join(home, 'config.toml'), `model = "scripted-model"\n${provider}`);
  return { home, cwd, model, mark };
}

const ACCESS = ['workspace-write', 'danger-full-access'];

/** As far as it comes in so many milliseconds; to its end without a limit. */
async function run({ home, cwd }: Stand, round: number, limit?: number): Promise<void> {
  const access = ['-s', ACCESS[round % ACCESS.length] ?? ''];
  const args = isBegun(home) ? ['exec', 'resume', '--last', 'Go on'] : ['exec', ...access, 'Do all the steps'];
  if (limit === undefined) {
    const { code, stderr, stdout } = await runCli(args, { home, cwd });
    expect({ code, stdout, stderr: code === 0 ? '' : stderr }).toEqual({
      code: 0,
      stdout: 'All steps are done.\n',
      stderr: '',
    });
    return;
  }
  const child = startCli(args, { home, cwd });
  child.stdin.end();
  const ended = finished(child);
  await Promise.race([pause(limit), once(child, 'exit')]);
  child.kill(SIGNALS[randomInt(SIGNALS.length)]);
  await ended;
}

/** Whether so much as the first line of a session was written. */
function isBegun(home: string): boolean {
  const folder = path.join(home, 'sessions');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  return names.some((name) => readFileSync(path.join(folder, name), 'utf8').includes('\n'));
}

/** What a request says of finished steps, every later one says too. */
function checkNothingLost({ model }: Stand): void {
  const told = model.requests.map((request) =>
    answersIn(request).map(([id, text]) => `${String(id)}: ${String(text)}`),
  );
  for (const [at, answers] of told.entries()) {
    const next = told[at + 1] ?? answers;
    expect(next.slice(0, answers.length)).toEqual(answers);
  }
}

function checkNothingTwice({ cwd, model }: Stand): void {
  const file = path.join(cwd, 'steps.txt');
  const done = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  expect(done.toSorted()).toEqual([...new Set(done)].toSorted());
  const last = model.requests.at(-1);
  const reported = last ? answersIn(last).filter(([, text]) => String(text).includes('exited with code 0')) : [];
  for (const [id] of reported) expect(done).toContain(String(id).split('-')[1]);
}

test('however the program is stopped, its session goes on: nothing lost, nothing twice, nothing left behind', async () => {
  let kills = 0;
  for (let round = 0; kills < KILLS; round += 1) {
    const place = await stand(round);
    try {
      for (let times = randomInt(1, 4); times > 0; times -= 1) {
        await run(place, round, randomInt(0, 450));
        kills += 1;
      }
      await until(() => marked(place.mark).length === 0);
      await run(place, round);
      await until(() => marked(place.mark).length === 0);
      checkNothingLost(place);
      checkNothingTwice(place);
    } finally {
      endMarked(place.mark);
      await place.model.close();
    }
  }
}, 3_600_000);

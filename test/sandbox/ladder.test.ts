import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { loadFilter, noNewPrivileges } from '../../src/sandbox/linux/confinement-steps.js';
import { ALLOW, NOT_PERMITTED, compileRules } from '../../src/sandbox/linux/seccomp-rules.js';
import { BINARIES } from '../../src/sandbox/runner/binaries.js';
import { createProgram } from '../../src/sandbox/runner/program.js';
import { ARCHITECTURE, CAN_RUN } from '../support/test-runner.js';
import type { LadderReport } from './ladder-harness.js';

/** What most containers take away. */
const NO_NAMESPACES = ['unshare', 'setns', 'mount', 'open_tree', 'move_mount', 'mount_setattr'] as const;

/** Our own runner as the outer launcher: a filter, then the harness. */
function launcher(harness: string, top: string): { readonly binary: string; readonly list: string } {
  const [binary, list] = [path.join(top, 'runner'), path.join(top, 'list')];
  const program = createProgram(ARCHITECTURE);
  noNewPrivileges(program);
  const rules = NO_NAMESPACES.map((call) => ({ call, action: NOT_PERMITTED }));
  const filter = compileRules({ architecture: ARCHITECTURE, rules, foreign: ALLOW, unknown: ALLOW });
  loadFilter(program, 'taking namespaces away', filter);
  program.call('starting the harness', 'execve', [
    program.text(process.execPath),
    program.texts([process.execPath, harness, top]),
    program.texts([`PATH=${process.env['PATH']}`, `HOME=${top}`, `TMPDIR=${top}`]),
  ]);
  writeFileSync(binary, Buffer.from(BINARIES[ARCHITECTURE].base64, 'base64'), { mode: 0o700 });
  writeFileSync(list, program.build().bytes);
  return { binary, list };
}

const EMPTY = { answers: [], questions: [] };
const UNKNOWN: LadderReport = {
  probed: [],
  confinement: { kind: 'none', reason: '' },
  never: '',
  unanswered: '',
  asked: EMPTY,
  named: EMPTY,
};

describe.skipIf(!CAN_RUN)('where no namespaces can be made', () => {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-ladder-')));
  let report = UNKNOWN;
  const fence = () => report.probed.find(({ name }) => name === 'landlock');
  const weaker = (): readonly string[] => (report.confinement.kind === 'available' ? report.confinement.weaker : []);

  beforeAll(async () => {
    // Its own folder is protected, and so must not hold the workspace.
    const harness = path.join(top, 'program', 'harness.mjs');
    await build({
      entryPoints: [path.join(import.meta.dirname, 'ladder-harness.ts')],
      outfile: harness,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['@lydell/node-pty'],
      logLevel: 'error',
    });
    const { binary, list } = launcher(harness, top);
    const { stdout, stderr } = spawnSync(binary, [list], { cwd: '/', encoding: 'utf8' });
    if (!stdout.startsWith('{')) throw new Error(`the harness failed: ${stderr}`);
    report = JSON.parse(stdout) as LadderReport;
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  test('a cell and bubblewrap are known not to work, each with a reason', () => {
    expect(report.probed.slice(0, 2)).toEqual([
      { name: 'cell', works: false, reason: 'making namespaces: EPERM' },
      { name: 'bubblewrap', works: false, reason: expect.stringMatching(/^bwrap|not permitted/) as unknown },
    ]);
  });

  test('the fence is chosen, and told what is weaker in it', (ctx) => {
    if (fence()?.works !== true) ctx.skip('this kernel has no Landlock');
    expect(report.confinement).toMatchObject({ kind: 'available', backend: 'landlock' });
    expect(weaker()).toEqual([
      'servers on localhost do not work',
      'changes to protected folders such as .git are undone only when the command has ended',
      'modes, owners and times of files outside can be changed',
      expect.stringMatching(/^other processes can be seen/),
      'what a command starts in the background may outlive it',
    ]);
  });

  test('nothing is remembered as good', () => {
    const cache = path.join(top, 'home', 'sandbox');
    expect(readdirSync(cache).filter((name) => name.endsWith('.json'))).toEqual([]);
  });

  test('no command runs where nobody may be asked, or nobody answers', (ctx) => {
    if (fence()?.works !== true) ctx.skip('this kernel has no Landlock');
    for (const heard of [report.never, report.unanswered]) {
      expect(heard).toContain('weaker than');
      expect(heard).not.toContain('ran\n');
    }
  });

  test('who is asked is asked once, by what is weaker, and the commands stay inside', (ctx) => {
    if (fence()?.works !== true) ctx.skip('this kernel has no Landlock');
    const { answers, questions } = report.asked;
    expect(questions.filter(({ rule }) => rule === 'weaker-sandbox')).toEqual([
      { rule: 'weaker-sandbox', reason: expect.stringContaining(weaker().join('; ')) as unknown, confined: true },
    ]);
    expect(answers[0]).toContain('first\n');
    expect(answers[1]).toContain('second\n');
    expect(questions.every(({ confined }) => confined)).toBe(true);
    expect(() => readFileSync(path.join(top, 'outside'))).toThrow('ENOENT');
  });

  test('who has named the fence is not asked about it', (ctx) => {
    if (fence()?.works !== true) ctx.skip('this kernel has no Landlock');
    expect(report.named.answers[0]).toContain('first\n');
    expect(report.named.questions.filter(({ rule }) => rule === 'weaker-sandbox')).toEqual([]);
  });
});

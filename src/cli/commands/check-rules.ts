/** `tenon policy test` and `tenon policy check`: whether rules say what their examples say they do. */
import path from 'node:path';

import { checkRules, defaultHome, loadSettings } from '../../index.js';
import type { RuleReport } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { warn } from '../read-config.js';
import { visible } from '../visible.js';
import { workspaceFolder } from '../workspace-folder.js';

export type CheckFlags = { readonly cd?: string; readonly json?: boolean };

/** Every rule that a run in this folder would obey; a project's only if it is trusted. */
export async function testRules({ cd, json }: CheckFlags): Promise<number> {
  const home = defaultHome();
  const { project } = await loadSettings({ home, cwd: workspaceFolder(cd), onWarning: warn });
  const reports = await checkRules({ home, ...(project.trusted && { project }) });
  if (reports.length === 0 && !json) say(`There are no rules in ${path.join(home, 'rules')}.`);
  return tell(reports, json);
}

/** One file, wherever it is; relative patterns in it are taken as those of the project around this folder. */
export async function checkFile(file: string, { cd, json }: CheckFlags): Promise<number> {
  const home = defaultHome();
  const cwd = workspaceFolder(cd);
  const { project } = await loadSettings({ home, cwd });
  return tell(await checkRules({ home, project }, path.resolve(cwd, file)), json);
}

function tell(reports: readonly RuleReport[], json = false): number {
  for (const report of reports) {
    if (json) process.stdout.write(`${JSON.stringify({ ...report, rules: report.rules.length })}\n`);
    else describe(report);
  }
  return reports.some(({ problems }) => problems.length > 0) ? EXIT.failed : EXIT.success;
}

function describe({ file, rules, examples, problems }: RuleReport): void {
  for (const { line, message } of problems) say(`${file}:${line}: ${message}`);
  if (problems.length === 0)
    say(`${file}: ${counted(rules.length, 'rule')}, ${counted(examples, 'example')}, all as they should be`);
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function say(text: string): void {
  process.stdout.write(`${visible(text.replaceAll('\n', ' '))}\n`);
}

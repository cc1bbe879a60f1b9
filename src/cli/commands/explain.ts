/** `tenon policy explain`: what the policy says to something, part by part, without doing it. */
import path from 'node:path';

import { createLocalWorkspace, createRuntime, absolutePath, resolvePath, runtimeOptions } from '../../index.js';
import type { AbsolutePath, Effect, Finding, Intent, DecidingRule, Verdict } from '../../index.js';
import { describeEffect, describeRule, oneLine } from '../describe.js';
import { EXIT } from '../exit-codes.js';
import { readSettings } from '../read-config.js';
import type { PolicyFlags } from '../read-config.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';
import { workspaceFolder } from '../workspace-folder.js';

export type ExplainFlags = PolicyFlags & {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly connect?: readonly string[];
  readonly mcp?: readonly string[];
  readonly escalate?: string;
  readonly json?: boolean;
};

export async function explain(command: readonly string[], flags: ExplainFlags): Promise<number> {
  const cwd = absolutePath(path.resolve(workspaceFolder(flags.cd)));
  const { config, rules } = await readSettings(cwd, flags);
  const options = runtimeOptions(config);
  const workspace = createLocalWorkspace(cwd, options);
  const intent = intentFrom(command, flags, cwd, (script) => workspace.shellCommand(script, {}));
  const verdict = await createRuntime({ ...options, rules, cwd }).explain(intent);
  const text = flags.json ? `${JSON.stringify({ ...verdict, effects: intent.effects })}\n` : describe(verdict, intent);
  process.stdout.write(text);
  return EXIT.success;
}

/** One word is a script for the shell, as a model writes it; several are a program with its arguments. */
function intentFrom(
  command: readonly string[],
  { read = [], write = [], connect = [], mcp = [], escalate }: ExplainFlags,
  cwd: AbsolutePath,
  shellCommand: (script: string) => readonly string[],
): Intent {
  const [script = ''] = command;
  const fileAt = (file: string): AbsolutePath => {
    if (file === '') throw new UsageError('the path is empty');
    return resolvePath(cwd, file);
  };
  const effects: Effect[] = [
    ...read.map((file) => ({ kind: 'read', path: fileAt(file) }) as const),
    ...write.map((file) => ({ kind: 'write', path: fileAt(file) }) as const),
    ...connect.map((host) => ({ kind: 'connect', host }) as const),
    ...mcp.map(remoteEffect),
  ];
  if (command.length > 0)
    effects.push({ kind: 'exec', argv: command.length === 1 ? shellCommand(script) : command, cwd });
  if (effects.length === 0)
    throw new UsageError('nothing to explain: give a command after --, or --read, --write, --connect or --mcp');
  return { effects, ...(escalate !== undefined && { escalate: { reason: escalate } }) };
}

/** Nothing is known of the tool here, so it is taken for one that may change something. */
function remoteEffect(name: string): Effect {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1) throw new UsageError(`--mcp ${name}: write it as SERVER/TOOL`);
  return {
    kind: 'remote',
    server: name.slice(0, slash),
    tool: name.slice(slash + 1),
    readOnly: false,
    destructive: false,
  };
}

const VERDICTS: Readonly<Record<Verdict['kind'], string>> = {
  allow: 'Allowed',
  ask: 'Asked about',
  deny: 'Refused',
};

function describe(verdict: Verdict, { effects }: Intent): string {
  const how = verdict.kind === 'deny' ? '' : verdict.confined ? ', inside the sandbox' : ', without a sandbox';
  const lines = [
    `${VERDICTS[verdict.kind]}${how}.`,
    ...(verdict.kind === 'allow' ? [] : [`  ${oneLine(verdict.reason)}`]),
    `  Decided by: ${describeSource(verdict.rule)}`,
    '',
    'Effects:',
    ...effects.map((effect) => `  ${describeEffect(effect)}`),
    '',
    'Parts:',
    ...table(verdict.findings ?? []),
    ...(verdict.kind === 'ask' && verdict.proposal
      ? ['', 'A permanent yes would be:', ...verdict.proposal.map((rule) => `  ${describeRule(rule)}`)]
      : []),
  ];
  return `${visible(lines.join('\n'))}\n`;
}

function describeSource({ name, file, line }: DecidingRule): string {
  return oneLine(file === undefined ? name : `${name} (${file}:${line ?? 1})`);
}

const DECISIONS: Readonly<Record<Finding['decision'], string>> = {
  allow: 'allowed',
  safe: 'known to be safe',
  neutral: 'left to the policy',
  ask: 'asked about',
  deny: 'forbidden',
};

function table(findings: readonly Finding[]): readonly string[] {
  if (findings.length === 0) return ['  none'];
  const kinds = Math.max(...findings.map(({ kind }) => kind.length));
  const decisions = Math.max(...findings.map(({ decision }) => DECISIONS[decision].length));
  return findings.flatMap(({ kind, subject, decision, reason, rule }) => [
    `  ${DECISIONS[decision].padEnd(decisions)}  ${kind.padEnd(kinds)}  ${oneLine(subject)}`,
    ...(reason === undefined ? [] : [`${' '.repeat(decisions + kinds + 6)}${oneLine(reason)}${source(rule)}`]),
  ]);
}

function source(rule: DecidingRule | undefined): string {
  return rule?.file === undefined ? '' : ` (${oneLine(rule.file)}:${rule.line ?? 1})`;
}

import { expect, test } from 'vitest';

import { baseInstructions } from '../../src/context/base-instructions.js';
import { PATCH_FACES, SHELL_TYPES } from '../../src/core/selection.js';
import type { PatchFace, Selection, ShellType } from '../../src/core/selection.js';
import { createRegistry } from '../../src/pipeline/registry.js';
import { builtinTools } from '../../src/tools/index.js';

function promptFor(shellType: ShellType, patchFace: PatchFace, overrides: Selection['overrides'] = {}) {
  const { specs, tools } = createRegistry(
    builtinTools,
    { shellType, patchFace, images: true, experimental: [], overrides },
    () => {},
  );
  const offered = new Set(specs.map(({ name }) => name));
  const advice = tools.filter(({ spec }) => offered.has(spec.name)).flatMap((tool) => tool.advice ?? []);
  return { offered, text: baseInstructions(advice) };
}

test('what the tools advise stands in the order given, before what holds for all of them', () => {
  const text = baseInstructions(['Dig with spade.', 'Cut with saw.']);
  const [, tools = ''] = text.split('# Tools\n\n');
  expect(tools.split('\n').slice(0, 3)).toEqual([
    '- Dig with spade.',
    '- Cut with saw.',
    '- Calls that do not depend on each other belong into one response. Those that read run side by side.',
  ]);
});

test('the prompt has one section for each thing there is to know', () => {
  expect(baseInstructions([]).match(/^# .*$/gm)).toEqual([
    '# How to work',
    "# The user's files",
    '# Tools',
    '# Sandbox and approvals',
    '# AGENTS.md',
    '# Talking to the user',
  ]);
});

test('the prompt is short, whatever is offered', () => {
  const everything = builtinTools.flatMap((tool) => tool.advice ?? []);
  const words = baseInstructions(everything).match(/\S*\w\S*/g) ?? [];
  expect(words.length).toBeLessThan(1000);
  const usual = promptFor('unified_exec', 'freeform').text.match(/\S*\w\S*/g) ?? [];
  expect(usual.length).toBeLessThan(900);
});

test.each(SHELL_TYPES.flatMap((shell) => PATCH_FACES.map((face) => [shell, face] as const)))(
  'with the shell %s and patches as %s it names only tools that are offered',
  (shellType, patchFace) => {
    const { offered, text } = promptFor(shellType, patchFace);
    const names = builtinTools.map(({ spec }) => spec.name).filter((name) => name.includes('_'));
    const named = names.filter((name) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text));
    expect(named.filter((name) => !offered.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(2);
  },
);

test('a tool that the user has taken away is not named', () => {
  expect(promptFor('unified_exec', 'freeform').text).toContain('update_plan');
  expect(promptFor('unified_exec', 'freeform', { update_plan: false }).text).not.toContain('update_plan');
});

test('the same tools give the same bytes', () => {
  expect(promptFor('unified_exec', 'freeform').text).toBe(promptFor('unified_exec', 'freeform').text);
});

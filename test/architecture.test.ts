import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, test } from 'vitest';

import { builtinTools } from '../src/index.js';

const SRC = path.join(import.meta.dirname, '../src');

/** What each folder may import beside itself. The composition root may import everything below the line. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  shell: [],
  store: [],
  diff: ['core'],
  files: ['core'],
  patch: ['core'],
  search: ['core'],
  images: [],
  undo: ['core', 'diff', 'store'],
  exec: ['core', 'files', 'shell', 'store'],
  sandbox: ['core', 'diff', 'files'],
  programs: ['core', 'shell'],
  toml: [],
  rules: ['core', 'shell'],
  'rule-files': ['core', 'rules', 'programs', 'shell', 'store', 'toml'],
  policy: ['core', 'shell', 'programs', 'rules'],
  wire: ['core'],
  http: ['core'],
  model: ['core', 'wire', 'http'],
  web: ['core', 'http'],
  context: ['core'],
  agent: ['core'],
  journal: ['core', 'store'],
  pipeline: ['core'],
  tools: ['core', 'shell', 'patch', 'search', 'images'],
  testing: ['core'],
  config: ['core', 'model', 'policy', 'store', 'toml'],
  'create-judge': ['core', 'shell', 'policy', 'rules'],
  'create-sandbox': ['core', 'policy', 'rules', 'sandbox', 'store'],
  options: ['core', 'policy', 'rules', 'store', 'open-web-search'],
  'create-policy': [
    'core',
    'exec',
    'policy',
    'rule-files',
    'sandbox',
    'store',
    'create-judge',
    'create-sandbox',
    'options',
  ],
  'create-pipeline': [
    'core',
    'exec',
    'journal',
    'pipeline',
    'sandbox',
    'tools',
    'create-policy',
    'open-history',
    'open-web-search',
    'options',
  ],
  'open-history': ['core', 'exec', 'files', 'store', 'undo'],
  'create-runtime': ['core', 'pipeline', 'wire', 'create-pipeline', 'open-audit', 'options'],
  'open-web-search': ['core', 'http', 'tools', 'web'],
  'open-audit': ['core', 'exec', 'journal', 'create-policy', 'options'],
  'session-events': ['core'],
  'turn-events': ['core'],
  'new-session-id': [],
  'create-session': ['core', 'agent', 'context', 'create-runtime', 'new-session-id', 'session-events', 'turn-events'],
  'session-context': ['core', 'config', 'context', 'exec', 'create-policy', 'options'],
  'open-agent': ['core', 'config', 'model', 'create-runtime', 'create-session', 'options', 'session-context'],
  replay: ['core', 'diff', 'journal', 'model', 'wire', 'new-session-id', 'open-agent'],
  'command-sandbox': ['core', 'sandbox', 'create-pipeline', 'create-policy', 'options'],
  index: [
    'core',
    'exec',
    'sandbox',
    'policy',
    'command-sandbox',
    'rules',
    'rule-files',
    'tools',
    'config',
    'create-runtime',
    'create-session',
    'journal',
    'new-session-id',
    'options',
    'open-agent',
    'open-history',
    'agent',
    'context',
    'model',
    'replay',
    'shell',
  ],
  cli: ['index'],
};

/** Packages and Node modules a folder may use; every other folder may use any Node module and no package. */
const OUTSIDE: Readonly<Record<string, readonly RegExp[]>> = {
  core: [/^zod\//, /^node:path$/],
  tools: [/^zod\//, /^node:buffer$/, /^node:path$/],
  pipeline: [/^node:path$/, /^node:buffer$/],
  shell: [/^unbash$/, /^node:path$/],
  programs: [],
  rules: [/^node:path$/],
  'rule-files': [/^zod\//, /^smol-toml$/, /^node:/],
  policy: [/^node:path$/],
  sandbox: [/^node:/],
  wire: [],
  agent: [/^node:events$/, /^node:util$/],
  http: [/^node:/, /^eventsource-parser$/],
  model: [/^zod\//, /^node:http$/],
  replay: [/^node:fs$/],
  context: [/^node:(fs|os|path)$/],
  web: [],
  diff: [/^node:buffer$/],
  patch: [/^node:path$/, /^node:buffer$/],
  search: [/^node:path$/, /^node:buffer$/, /^node:vm$/],
  images: [/^node:zlib$/, /^node:buffer$/],
  config: [/^zod\//, /^smol-toml$/, /^node:/],
  cli: [/^commander$/, /^zod\//, /^node:/],
};

/** Values of the setting `shell_type`, one kind of payload and keys of older settings are spelled like tools. */
const OTHER_MEANINGS = new Set([
  'core/selection.ts',
  'config/model-families.ts',
  'core/call.ts',
  'core/arguments.ts',
  'core/event-parts.ts',
  'core/session-schema.ts',
  'core/provider.ts',
  'testing/scripted-model-chat.ts',
  'config/old-tables.ts',
  'cli/exec/call-items.ts',
]);

type Source = { readonly file: string; readonly imports: readonly string[]; readonly strings: readonly string[] };

const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map(readSource);

function readSource(file: string): Source {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  const parsed = parseSync(file, text);
  if (parsed.errors.length > 0) throw new Error(`${file} cannot be parsed`);
  const imports: string[] = parsed.module.staticImports.map((each) => each.moduleRequest.value);
  const strings: string[] = [];
  for (const { entries } of parsed.module.staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest) imports.push(moduleRequest.value);
  }
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && strings.push(value)),
    TemplateElement: ({ value }) => void strings.push(value.raw),
    ImportExpression: ({ source }) =>
      void (source.type === 'Literal' && typeof source.value === 'string' && imports.push(source.value)),
    TSImportType: ({ source }) => void imports.push(source.value),
  }).visit(parsed.program);
  return { file, imports, strings };
}

const layerOf = (file: string) => file.split(/[/\\]/)[0]?.replace(/\.ts$/, '') ?? '';
const isOwn = (specifier: string) => specifier.startsWith('.');
const targetOf = (source: Source, specifier: string) =>
  path.normalize(path.join(path.dirname(source.file), specifier)).replace(/\.js$/, '.ts');

test('there is something to check', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap((source) => source.imports).length).toBeGreaterThan(150);
  expect(new Set(sources.map((source) => layerOf(source.file)))).toEqual(new Set(Object.keys(LAYERS)));
});

describe('layers', () => {
  test('imports point down, and siblings never meet', () => {
    const wrong = sources.flatMap((source) =>
      source.imports.filter(isOwn).flatMap((specifier) => {
        const from = layerOf(source.file);
        const to = layerOf(targetOf(source, specifier));
        return from === to || LAYERS[from]?.includes(to) ? [] : [`${source.file} imports ${specifier}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('packages and system modules are used only where they belong', () => {
    const wrong = sources.flatMap((source) => {
      const allowed = OUTSIDE[layerOf(source.file)] ?? [/^node:/];
      const outside = source.imports.filter((specifier) => !isOwn(specifier));
      return outside
        .filter((each) => !allowed.some((pattern) => pattern.test(each)))
        .map((each) => `${source.file} imports ${each}`);
    });
    expect(wrong).toEqual([]);
  });
});

test('no file imports itself in a circle, types included', () => {
  const graph = new Map(
    sources.map((source) => [source.file, source.imports.filter(isOwn).map((each) => targetOf(source, each))]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
  };
  for (const file of graph.keys()) visit(file, []);
  expect(circles).toEqual([]);
});

describe('a tool', () => {
  test.each(builtinTools.map((tool) => tool.spec.name))('%s is named in one file only', (name) => {
    // A name that is also a word of English is looked for as a whole string.
    const word = new RegExp(name.includes('_') ? `(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])` : `^${name}$`);
    const knowing = sources
      .filter((source) => !OTHER_MEANINGS.has(source.file))
      .filter((source) => source.strings.some((text) => word.test(text)))
      .map((source) => source.file);
    expect(knowing).toEqual([`tools/${name.replaceAll('_', '-')}.ts`]);
  });

  test('reaches the system only through what it is handed', () => {
    const reaching = sources.filter(
      (source) =>
        layerOf(source.file) === 'tools' &&
        source.imports.some((each) => /^(node:)?(fs|child_process|net|http|os)/.test(each)),
    );
    expect(reaching.map((source) => source.file)).toEqual([]);
  });
});

/**
 * Packs the program into two files of parts, each part a function that is run when it is first asked for. The first has
 * all that the usual commands need, so that a start reads and compiles half of the program.
 */
import path from 'node:path';
import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';

/** `atStart` are the source files that the first pack is for, with all they import; `options` are those of esbuild. */
export async function packProgram({ entry, atStart, options }) {
  const parts = await splitProgram(entry, options);
  const sources = new Set([entry, ...atStart]);
  const first = new Set();
  for (const [name, { source }] of parts) if (sources.delete(source)) addWithNeeds(name, parts, first);
  if (sources.size > 0) throw new Error(`no part of the program begins with ${[...sources].join(', ')}`);
  const packed = [...parts].map(([name, { code }]) => [name, asFunction(name, code)]);
  return {
    'start.cjs': pack(packed.filter(([name]) => first.has(name))),
    'more.cjs': pack(packed.filter(([name]) => !first.has(name))),
  };
}

/** The parts by the names they have for each other, as ES modules, with those that each cannot be loaded without. */
async function splitProgram(entry, options) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: { main: entry },
    outdir: 'parts',
    write: false,
    metafile: true,
    format: 'esm',
    splitting: true,
  });
  const code = new Map(outputFiles.map((file) => [path.basename(file.path), file.text]));
  return new Map(
    Object.entries(metafile.outputs).map(([file, { entryPoint, imports }]) => {
      const needs = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      const part = {
        source: entryPoint,
        code: code.get(path.basename(file)),
        needs: needs.map((each) => nameOf(each.path)),
      };
      return [nameOf(file), part];
    }),
  );
}

function nameOf(file) {
  return `./${path.basename(file)}`;
}

function addWithNeeds(name, parts, found) {
  if (found.has(name)) return;
  found.add(name);
  for (const needed of parts.get(name).needs) addWithNeeds(needed, parts, found);
}

/**
 * CommonJS with plain values for what is imported, where a converter would make getters, which are slow to set up. That
 * is the same thing as long as no part changes what it has exported and none need each other, which the linter sees to.
 */
function asFunction(name, code) {
  const { program, module, errors } = parseSync(name, code);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  const changes = [
    ...program.body
      .filter(({ type }) => Object.hasOwn(SPELLING, type))
      .map((each) => [each, SPELLING[each.type](each, code)]),
    ...module.dynamicImports.map((each) => [each, lazyText(each, code)]),
  ];
  return `${JSON.stringify(name)}(exports,require,__filename){${replaced(code, changes)}}`;
}

const SPELLING = {
  ImportDeclaration: ({ specifiers, source }) => importText(specifiers, source),
  ExportNamedDeclaration: ({ specifiers }) =>
    specifiers.map(({ local, exported }) => `exports.${exported.name}=${local.name};`).join(''),
  ExportDefaultDeclaration: ({ declaration }, code) =>
    `exports.default=${code.slice(declaration.start, declaration.end)};`,
};

function importText(specifiers, source) {
  const required = `require(${source.raw})`;
  const named = specifiers.filter(({ type }) => type === 'ImportSpecifier');
  const names = named.map(({ imported, local }) => `${imported.name}:${local.name}`);
  const whole = specifiers
    .filter((each) => !named.includes(each))
    .map(({ type, local }) => {
      // The modules of Node are what they export by default.
      const isOurs = type === 'ImportDefaultSpecifier' && source.value.startsWith('./');
      return `const ${local.name}=${required}${isOurs ? '.default' : ''};`;
    });
  return [...whole, names.length > 0 || whole.length === 0 ? `const{${names}}=${required};` : ''].join('');
}

function lazyText({ moduleRequest }, code) {
  return `Promise.resolve().then(()=>require(${code.slice(moduleRequest.start, moduleRequest.end)}))`;
}

function replaced(code, changes) {
  const last = changes.toSorted(([one], [other]) => other.start - one.start);
  return last.reduce((text, [{ start, end }, by]) => text.slice(0, start) + by + text.slice(end), code);
}

function pack(functions) {
  const text = `({${functions.map(([, code]) => code).join(',\n')}})`;
  // Read as bytes, which is faster, and kept in half the memory.
  const other = /.{0,40}[\x80-\uffff].{0,40}/.exec(text)?.[0];
  if (other !== undefined) throw new Error(`the program has to be plain ASCII; escape what is not in: ${other}`);
  return text;
}

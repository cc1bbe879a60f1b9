import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { absolutePath, isInside } from '../../../src/core/paths.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import type { Denial } from '../../../src/core/workspace.js';
import { realPath } from '../../../src/exec/real-path.js';
import { writeDenials } from '../../../src/sandbox/denials/write-denials.js';
import type { WriteWorld } from '../../../src/sandbox/denials/write-denials.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';
import { propertyRuns } from '../../support/property-runs.js';
import { corpus, places } from './corpus.js';
import type { Printed } from './corpus.js';

describe('what real programs print', () => {
  test('a write that the sandbox stopped is found, with what would have to be granted', () => {
    const { found, fill } = finder();
    const expected = corpus.stopped.map((printed) => ({
      ...printed,
      found: printed.targets.map((target) => counterfactual(fill(target))),
    }));
    expect(corpus.stopped.map((printed) => ({ ...printed, found: found(printed) }))).toEqual(expected);
  });

  test('a write that was stopped who knows where is only inferred', () => {
    const { found, fill } = finder();
    const expected = corpus.inferred.map((printed) => ({ ...printed, found: [inferred(fill(printed.cwd ?? '{ws}'))] }));
    expect(corpus.inferred.map((printed) => ({ ...printed, found: found(printed) }))).toEqual(expected);
  });

  test('an ordinary failure is no denial', () => {
    const { found } = finder();
    const expected = corpus.ordinary.map((printed) => ({ ...printed, found: [] }));
    expect(corpus.ordinary.map((printed) => ({ ...printed, found: found(printed) }))).toEqual(expected);
  });

  test('nothing that was printed is a denial when we could not have written there either', () => {
    const { found } = finder();
    const proven = corpus.stopped.flatMap((printed) => found({ ...printed, unwritable: ['/'] }));
    expect(proven.filter(({ proof }) => proof === 'counterfactual')).toEqual([]);
  });

  test('nothing that was printed is a denial when the command succeeded', () => {
    const { found } = finder();
    const all = [...corpus.stopped, ...corpus.inferred, ...corpus.ordinary];
    expect(all.flatMap((printed) => found({ ...printed, exit: 0 }))).toEqual([]);
  });
});

describe('where nothing at all may be written', () => {
  const said = (printed: Partial<Printed>) => finder(() => ({ writable: [] })).said(printed);

  test.each([
    ["touch: cannot touch 'new.txt': Read-only file system", 'ws'],
    ["touch: cannot touch 'sub/b.txt': Read-only file system", 'ws/sub/b.txt'],
    ['bash: line 1: plain: Read-only file system', 'ws'],
    ['dash: 1: cannot create plain: Read-only file system', 'ws'],
    ['dash: 1: cannot open a.txt: Read-only file system', 'ws/a.txt'],
    ['.npmrc: Read-only file system', 'ws'],
    ['rm: cannot remove ‘a.txt’: Read-only file system', 'ws'],
    ['tar: sub: Cannot mkdir: Read-only file system', 'ws/sub'],
  ])('%s', (output, target) => {
    expect(said({ output })).toEqual([`counterfactual ${target}`]);
  });

  test.each([
    "touch: cannot touch 'no/such/folder/x': Read-only file system",
    'su: Read-only file system',
    'Cannot open: Read-only file system',
    'program: Unable to open: Read-only file system',
    'program: cannot open file: Read-only file system',
    'user@host.example: Read-only file system',
    '/usr/bin/ld: final link failed: Read-only file system',
    'version 1.2: Read-only file system',
  ])('%s names no file', (output) => {
    expect(said({ output })).toEqual(['inferred ws']);
  });

  test('a single word is taken for a file only if there is one, where the words are common', () => {
    expect(said({ output: 'tee: plain: Permission denied', error: 'EACCES' })).toEqual([]);
    expect(said({ output: 'tee: sub: Permission denied', error: 'EACCES' })).toEqual(['counterfactual ws/sub']);
  });

  test('a file that may not be run is not one that may not be written', () => {
    const output = 'bash: line 1: ./a.txt: Permission denied';
    expect(said({ output, error: 'EACCES', exit: 126 })).toEqual([]);
    expect(said({ output, error: 'EACCES' })).toEqual(['counterfactual ws/a.txt']);
    expect(said({ output: './a.txt: Read-only file system', exit: 126 })).toEqual(['counterfactual ws/a.txt']);
  });

  test('names are looked for in the folder that make is in', () => {
    const output = [
      "make: Entering directory '{ws}/sub'",
      "make[1]: Entering directory '{outside}/folder'",
      "touch: cannot touch 'one': Read-only file system",
      "make[1]: Leaving directory '{outside}/folder'",
      "touch: cannot touch 'two': Read-only file system",
      "make: Leaving directory '{ws}/sub'",
      "touch: cannot touch 'three': Read-only file system",
    ];
    const expected = ['counterfactual outside/folder', 'counterfactual ws/sub', 'counterfactual ws'];
    expect(said({ output: output.join('\n') })).toEqual(expected);
  });
});

describe('what a path comes to', () => {
  const judged = (output: string) => {
    const { folder, said } = finder();
    mkdirSync(path.join(folder, 'outside/real'));
    symlinkSync(path.join(folder, 'outside/real'), path.join(folder, 'ws/way-out'));
    symlinkSync(path.join(folder, 'outside/not-yet'), path.join(folder, 'ws/dangling'));
    symlinkSync(path.join(folder, 'ws/sub'), path.join(folder, 'outside/way-in'));
    return said({ output });
  };

  test('links are followed before it is judged', () => {
    expect(judged("touch: cannot touch 'way-out/x': Read-only file system")).toEqual(['counterfactual outside/real']);
    expect(judged("touch: cannot touch 'dangling': Read-only file system")).toEqual(['counterfactual outside']);
    expect(judged("touch: cannot touch '{outside}/way-in/x': Read-only file system")).toEqual([]);
  });

  test('removing a link is about the link', () => {
    expect(judged("rm: cannot remove '{outside}/way-in': Read-only file system")).toEqual(['counterfactual outside']);
  });

  test('what is protected is asked for itself when the folder around it is writable', () => {
    expect(judged("rm: cannot remove '{ws}/.git': Read-only file system")).toEqual(['counterfactual ws/.git']);
  });

  test('a grant opens what is protected again', () => {
    const output = "touch: cannot touch '{ws}/.git/x': Read-only file system";
    expect(finder().said({ output })).toEqual(['counterfactual ws/.git']);
    expect(finder((place) => ({ granted: [place('{ws}/.git')] })).said({ output })).toEqual([]);
  });

  test('each target is named once, and no more than eight are', () => {
    const line = (name: string) => `touch: cannot touch '{outside}/${name}': Read-only file system`;
    expect(judged(['x', 'y', 'x'].map(line).join('\n'))).toEqual(['counterfactual outside']);
    const many = Array.from({ length: 10 }, (_, index) => line(`d${index + 1}/x`)).join('\n');
    const first = Array.from({ length: 8 }, (_, index) => `counterfactual outside/d${index + 1}`);
    expect(judged(many)).toEqual(first);
  });

  test('one that can be proven makes the others no matter', () => {
    const output =
      "OSError: [Errno 30] Read-only file system\ntouch: cannot touch '{outside}/x': Read-only file system";
    expect(judged(output)).toEqual(['counterfactual outside']);
  });

  test.each([
    ['a new file in the home', "touch: cannot touch '{home}/x': Read-only file system"],
    ['a new folder with more in it', "mkdir: cannot create directory '{home}/x/y': Read-only file system"],
    ['what is removed from it', "rm: cannot remove '{home}/.gitconfig': Read-only file system"],
    ['the home itself', "chmod: changing permissions of '{home}': Read-only file system"],
    ['a new file above it', "touch: cannot touch '{home}/../x': Read-only file system"],
    ['the home, removed', "rm: cannot remove '{home}': Read-only file system"],
  ])('nobody is asked for a whole home, or more, because of %s', (_, output) => {
    expect(judged(output)).toEqual(['inferred ws']);
    expect(
      finder().said({ output: output.replace('Read-only file system', 'Permission denied'), error: 'EACCES' }),
    ).toEqual([]);
  });

  test('a folder in the home is no more than that', () => {
    const output = "touch: cannot touch '{home}/.cache/x': Read-only file system";
    expect(judged(output)).toEqual(['counterfactual home/.cache']);
  });

  test('an ordinary failure explains what is said without a place', () => {
    const output = "touch: cannot touch '{hidden}/x': Read-only file system\nOSError: [Errno 30] Read-only file system";
    expect(judged(output)).toEqual([]);
  });

  test('only the last 64 KiB are looked at', () => {
    const line = "touch: cannot touch '{outside}/x': Read-only file system\n";
    expect(judged(`${line}${'x'.repeat(60_000)}`)).toEqual(['counterfactual outside']);
    expect(judged(`${line}${'x'.repeat(65_536)}`)).toEqual([]);
  });
});

describe('any text', () => {
  const WORDS = [
    'Read-only file system',
    'Permission denied',
    'Operation not permitted',
    'EROFS: read-only file system',
  ];
  const PATHS = [
    '/ws/a',
    '/ws/.git/x',
    '/out/kept',
    '/out/new/x',
    '/granted/x',
    '/hidden/x',
    '/nowhere',
    '/closed/x',
    '/home/x',
    '/home/u/x',
    'a',
    '../out/b',
  ];
  const MARKS = [
    ...'\'‘’“”"`:;,.()[]{} \n\r\t\0',
    ': ',
    ' -> ',
    ' to ',
    ', open ',
    ' - ',
    ' (os error 30)',
    '\u001B[31m',
    ' @ ',
  ];
  const VERBS = [
    'rm: cannot remove ',
    'mv: cannot move ',
    'cannot create ',
    "couldn't open file ",
    'failed ',
    ', mkdir ',
  ];
  const piece = fc.oneof(
    ...[WORDS, PATHS, MARKS, VERBS].map((each) => fc.constantFrom(...each)),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  const error = fc.constantFrom('EROFS', 'EACCES', 'EPERM');

  test('never leads to a denial for what is writable, hidden, not ours to write or a whole home', () => {
    fc.assert(
      fc.property(text, error, (output, kind) => {
        const denials = writeDenials({ output, cwd: absolutePath('/ws'), exitCode: 1 }, memoryWorld(kind));
        expect(denials.length).toBeLessThanOrEqual(8);
        for (const { target, proof } of denials) {
          expect(proof === 'inferred' ? ['/ws'] : ['/ws/.git', '/out', '/out/kept']).toContain(target);
        }
      }),
      propertyRuns(2000),
    );
  });

  test.each([
    ...MARKS,
    ...WORDS,
    ...VERBS,
    '/',
    '/a',
    'a/',
    ' /',
    "' ",
    '‘a',
    '(',
    '(/a, ',
    '\u001B[',
    '\u001B]',
    "b'",
  ])('64 KiB of %j are read to their end', (unit) => {
    const filling = unit.repeat(Math.ceil(65_536 / unit.length));
    for (const kind of ['EROFS', 'EACCES'] as const) {
      const ending = kind === 'EROFS' ? ': Read-only file system' : ': Permission denied';
      for (const output of [
        filling,
        `${filling}${ending}`,
        `${ending}${filling}`,
        filling.replaceAll(unit, `${unit}${ending}`),
      ]) {
        const evidence = { output: output.slice(-65_536), cwd: absolutePath('/ws'), exitCode: 1 };
        expect(writeDenials(evidence, memoryWorld(kind)).length).toBeLessThanOrEqual(8);
      }
    }
  });
});

function counterfactual(target: string): Denial {
  return { kind: 'write', target, proof: 'counterfactual' };
}

function inferred(target: string): Denial {
  return { kind: 'write', target, proof: 'inferred' };
}

/** Judges what was printed in folders of its own, by a policy that can be changed. */
function finder(change: (place: (name: string) => Place) => Partial<ResolvedPolicy> = () => ({})) {
  const { folder, fill } = places();
  const place = (name: string): Place => ({ path: absolutePath(fill(name)), kind: 'folder', device: 0, inode: 0 });
  const usual = {
    writable: [place('{ws}')],
    protected: [place('{ws}/.git')],
    granted: [place('{granted}')],
    hidden: [place('{hidden}')],
  };
  const resolved = { ...NOTHING, ...usual, ...change(place) };
  const found = (printed: Partial<Printed>): readonly Denial[] => {
    const { output = '', cwd = '{ws}', exit = 1, error = 'EROFS', unwritable = [] } = printed;
    const closed = unwritable.map((each) => absolutePath(fill(each)));
    const canWrite = (file: AbsolutePath) => !closed.some((each) => isInside(each, file));
    const isTooWide = (file: AbsolutePath) => isInside(file, absolutePath(fill('{home}')));
    const world = { resolved, error, exists, canWrite, isTooWide, realPath };
    return writeDenials({ output: fill(output), cwd: absolutePath(fill(cwd)), exitCode: exit }, world);
  };
  /** The same in short, seen from the folder that holds all others. */
  const said = (printed: Partial<Printed>) =>
    found(printed).map(({ target, proof }) => `${proof} ${path.relative(folder, target)}`);
  return { folder, fill, found, said };
}

const NOTHING: ResolvedPolicy = {
  writable: [],
  protected: [],
  pinned: [],
  granted: [],
  hidden: [],
  links: [],
  absent: [],
  network: { kind: 'open' },
  unixSockets: 'none',
  limits: {},
};

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** A small machine without links, on which we may write everywhere but in `/closed`. */
function memoryWorld(error: WriteWorld['error']): WriteWorld {
  const files = new Set([
    '/',
    '/ws',
    '/ws/.git',
    '/out',
    '/out/kept',
    '/granted',
    '/hidden',
    '/closed',
    '/home',
    '/home/u',
  ]);
  const place = (name: string): Place => ({ path: absolutePath(name), kind: 'folder', device: 0, inode: 0 });
  const resolved = {
    ...NOTHING,
    writable: [place('/ws')],
    protected: [place('/ws/.git')],
    granted: [place('/granted')],
    hidden: [place('/hidden')],
  };
  return {
    resolved,
    error,
    exists: (file) => files.has(file),
    canWrite: (file) => file !== '/closed',
    isTooWide: (file) => isInside(file, absolutePath('/home/u')),
    realPath: absolutePath,
  };
}

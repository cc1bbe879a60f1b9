import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { contextEntries } from '../../src/context/context-entries.js';
import type { ContextSnapshot } from '../../src/context/context-entries.js';
import { permissionsText } from '../../src/context/permissions.js';
import { environmentText } from '../../src/context/environment.js';
import { SANDBOX_MODES } from '../../src/core/workspace.js';
import type { InputEntry } from '../../src/core/model.js';
import { APPROVAL_POLICIES } from '../../src/policy/approval-policy.js';
import { propertyRuns } from '../support/property-runs.js';

const usual: ContextSnapshot = {
  permissions: {
    sandboxMode: 'workspace-write',
    approvalPolicy: 'on-request',
    network: false,
    allowedHosts: [],
    writableRoots: ['/project/app'],
  },
  environment: {
    cwd: '/project/app',
    shell: 'bash',
    operatingSystem: 'Linux',
    currentDate: '2026-01-31',
    timezone: 'UTC',
    writableRoots: ['/project/app'],
    networkAccess: false,
  },
};

const said = (role: InputEntry['role'], text: string | undefined) => ({
  kind: 'input',
  role,
  content: [{ kind: 'text', text }],
});

describe('the first time', () => {
  test('permissions and environment are told', () => {
    expect(contextEntries(usual)).toEqual([
      said('developer', permissionsText(usual.permissions)),
      said('user', environmentText(usual.environment)),
    ]);
  });

  test('and what the user and the project have to say stands between them', () => {
    expect(contextEntries({ ...usual, developer: 'Be kind.', projectDocs: 'Use tabs.' })).toEqual([
      said('developer', permissionsText(usual.permissions)),
      said('developer', 'Be kind.'),
      said('user', 'Use tabs.'),
      said('user', environmentText(usual.environment)),
    ]);
  });
});

describe('later', () => {
  test('new permissions are told whole', () => {
    const permissions = { ...usual.permissions, approvalPolicy: 'never' } as const;
    expect(contextEntries({ ...usual, permissions }, usual)).toEqual([said('developer', permissionsText(permissions))]);
  });

  test('of the environment only what is new is told', () => {
    const environment = { ...usual.environment, cwd: '/project/app/src' };
    expect(contextEntries({ ...usual, environment }, usual)).toEqual([
      said('user', '<environment_context>\n  <cwd>/project/app/src</cwd>\n</environment_context>'),
    ]);
  });

  test('other instructions take the place of those before', () => {
    const told = { ...usual, developer: 'Be kind.', projectDocs: 'Use tabs.' };
    expect(contextEntries({ ...usual, developer: 'Be brief.', projectDocs: 'Use spaces.' }, told)).toEqual([
      said('developer', 'Be brief.\n\nThese take the place of the instructions of this kind that were given before.'),
      said('user', 'Use spaces.\n\nThese take the place of the AGENTS.md instructions that were given before.'),
    ]);
  });

  test('instructions that come only now are told as they are', () => {
    expect(contextEntries({ ...usual, projectDocs: 'Use tabs.' }, usual)).toEqual([said('user', 'Use tabs.')]);
  });

  test('instructions that are gone are taken back', () => {
    const told = { ...usual, developer: 'Be kind.', projectDocs: 'Use tabs.' };
    expect(contextEntries(usual, told)).toEqual([
      said('developer', 'The general instructions that were given before no longer hold.'),
      said('user', '# AGENTS.md instructions\n\nThe AGENTS.md instructions that were given before no longer hold.'),
    ]);
  });

  test('an empty text is as good as none', () => {
    expect(contextEntries({ ...usual, developer: '', projectDocs: '' }, usual)).toEqual([]);
  });
});

describe('for any snapshots', () => {
  const few = (...values: readonly string[]) => fc.constantFrom(...values);
  const roots = fc.uniqueArray(few('/a', '/b', '/a&b'), { maxLength: 2 });
  const permissions = fc.record({
    sandboxMode: fc.constantFrom(...SANDBOX_MODES),
    approvalPolicy: fc.constantFrom(...APPROVAL_POLICIES),
    network: fc.boolean(),
    allowedHosts: fc.uniqueArray(few('a.example', 'b.example'), { maxLength: 2 }),
    writableRoots: roots,
  });
  const environment = fc.record({
    cwd: few('/a', '/b', '/a</cwd>'),
    shell: few('bash', 'zsh'),
    operatingSystem: few('Linux', 'macOS'),
    currentDate: few('2026-01-31', '2026-02-01'),
    timezone: few('UTC', 'Asia/Tokyo'),
    writableRoots: roots,
    networkAccess: fc.boolean(),
  });
  const snapshot: fc.Arbitrary<ContextSnapshot> = fc.record(
    { permissions, environment, projectDocs: few('Use tabs.', 'Use spaces.'), developer: few('Be kind.', 'Be brief.') },
    { requiredKeys: ['permissions', 'environment'] },
  );

  test('nothing is told exactly when nothing has changed', () => {
    fc.assert(
      fc.property(snapshot, snapshot, (now, told) => {
        expect(contextEntries(now, told).length === 0).toBe(isDeepStrictEqual(speaking(now), speaking(told)));
      }),
      propertyRuns(500),
    );
  });

  test('a snapshot that was kept as JSON is the same snapshot', () => {
    fc.assert(
      fc.property(snapshot, (now) => {
        expect(contextEntries(now, JSON.parse(JSON.stringify(now)) as ContextSnapshot)).toEqual([]);
      }),
      propertyRuns(200),
    );
  });

  test('the last word on everything is what holds now', () => {
    fc.assert(
      fc.property(fc.array(snapshot, { minLength: 1, maxLength: 6 }), (snapshots) => {
        const entries = snapshots.flatMap((now, at) => contextEntries(now, snapshots[at - 1]));
        const last = snapshots.at(-1);
        expect(lastWords(entries)).toEqual(last && lastWords(contextEntries(last)));
      }),
      propertyRuns(100),
    );
  });
});

/** Without what the mode makes no difference for. */
function speaking(snapshot: ContextSnapshot): unknown {
  const { sandboxMode, approvalPolicy, network, allowedHosts, writableRoots } = snapshot.permissions;
  const isFree = sandboxMode === 'danger-full-access';
  return {
    ...snapshot,
    permissions: {
      sandboxMode,
      approvalPolicy,
      network: isFree || network,
      allowedHosts: isFree || network ? [] : allowedHosts,
      writableRoots: sandboxMode === 'workspace-write' ? writableRoots : [],
    },
  };
}

/** What a reader takes from a list of entries who lets each word stand until another takes its place. */
function lastWords(entries: readonly InputEntry[]): Record<string, string> {
  const words: Record<string, string> = {};
  for (const { role, content } of entries) {
    const text = content.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    if (text.startsWith('<permissions')) words['permissions'] = text;
    else if (text.startsWith('<environment'))
      for (const [, name = '', value = ''] of text.matchAll(/^ {2}<(\w+)>(.*)<\/\1>$/gm)) words[name] = value;
    else if (text.includes('no longer hold')) delete words[role];
    else words[role] = text.split('\n\n')[0] ?? '';
  }
  return words;
}

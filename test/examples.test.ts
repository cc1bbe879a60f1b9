import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..');
const bin = (name: string) => path.join(ROOT, 'node_modules/.bin', name);

test('the examples compile against the package as it is published', async () => {
  await run(bin('tsc'), ['-p', path.join(ROOT, 'examples')]);
});

describe('each example does what it shows', () => {
  const EXPECTED: Readonly<Record<string, RegExp>> = {
    'embed.ts':
      /"call_id": "call_1",\n\s+"output": " {3}1\| \/\*\*.*"call_id": "call_2",\n\s+"output": "failed to read file/s,
    'http-server.ts':
      /^asked: \{"session":"demo","id":"call_1_0","title":".*"\}\nrestarted\nstill asked: demo, call_1_0\nanswered: 204\nmodel: The folder is there\.\nmade: true\n$/,
    'session.ts':
      /^model: Let me look\.\nread_file: completed\nmodel: It begins with a comment\.\ncompleted after 2 requests, 200 tokens in: It begins/,
    'sessions.ts':
      /waiting for input at: Your name\?.*exited with code 0.*Hello, Ada\..*running: .*sleep 60.*exited with code 130.*left: 0\n$/s,
    'custom-tool.ts':
      /→ \d+ words\n.*→ .*\/5: no such file\n.*→ failed to parse function arguments: missing field `path`/s,
    'custom-approver.ts':
      /asked: ls .*Process exited with code 0.*Output:\n\d+\n.*asked: ls; rm -rf .*ended: rejected\nexec command rejected by user: only commands/s,
  };

  test('and none is forgotten', () => {
    expect(
      readdirSync(path.join(ROOT, 'examples'))
        .filter((name) => name.endsWith('.ts'))
        .toSorted(),
    ).toEqual(Object.keys(EXPECTED).toSorted());
  });

  test.each(Object.entries(EXPECTED))('%s', async (name, expected) => {
    const { stdout, stderr } = await run(bin('tsx'), [path.join(ROOT, 'examples', name)]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(expected);
  });
});

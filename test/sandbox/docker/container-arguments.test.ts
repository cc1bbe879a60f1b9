import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { containerArguments } from '../../../src/sandbox/docker/container-arguments.js';
import type { RunOptions } from '../../../src/sandbox/docker/container-arguments.js';
import { containerMounts, mountArguments } from '../../../src/sandbox/docker/mounts.js';
import type { Engine } from '../../../src/sandbox/docker/probe-engine.js';
import { place, policyOf } from './policies.js';

const DOCKER: Engine = {
  engine: 'docker',
  version: '28.0.0',
  rootless: false,
  selinux: false,
  limits: ['memoryBytes', 'processes'],
};

const OPTIONS: RunOptions = {
  engine: DOCKER,
  name: 'tenon-1',
  image: 'tenon-skeleton:abc',
  owner: 'me',
  user: { uid: 1000, gid: 100 },
  folder: absolutePath('/dev/shm/tenon-x'),
  layout: {
    shown: [absolutePath('/usr'), absolutePath('/etc')],
    links: [{ path: absolutePath('/bin'), target: 'usr/bin' }],
  },
};

const READ = 'readonly,bind-nonrecursive=true';

function argumentsFor(policy: Parameters<typeof policyOf>[0], options: Partial<RunOptions> = {}): readonly string[] {
  return containerArguments(policyOf(policy), { ...OPTIONS, ...options });
}

function mountsFor(policy: Parameters<typeof policyOf>[0], options: Partial<RunOptions> = {}): readonly string[] {
  const mounts = containerMounts(policyOf(policy), { ...OPTIONS, ...options });
  return mounts.map((mount) =>
    mount.kind === 'scratch' ? `scratch ${mount.target}` : `${mount.access} ${mount.target} from ${mount.source}`,
  );
}

const SYSTEM = [
  'read /.tenon from /dev/shm/tenon-x',
  'read /etc from /etc',
  'scratch /tmp',
  'read /usr from /usr',
  'scratch /var/tmp',
];

function withSystem(...more: readonly string[]): readonly string[] {
  const target = (line: string) => line.split(' ')[1] ?? '';
  return [...SYSTEM, ...more].toSorted((one, other) => (target(one) < target(other) ? -1 : 1));
}

test('the whole command line of a container says what confines it', () => {
  const policy = {
    writable: [place('/home/me/project')],
    pinned: [place('/home/me/project/sub')],
    protected: [place('/home/me/project/.git'), place('/home/me/project/sub/.git', 'file')],
    granted: [place('/home/me/cache')],
    hidden: [place('/home/me/project/.env', 'file'), place('/home/me/.ssh')],
    limits: { memoryBytes: 1_000_000, processes: 100, cpuSeconds: 10, fileBytes: 512 },
  };
  const expected = [
    'run --rm --interactive --pull never --log-driver none --workdir /',
    '--name tenon-1 --label tenon=me --user 1000:100',
    '--read-only --cap-drop ALL --security-opt no-new-privileges --network none',
    '--memory 1000000b --memory-swap 1000000b --pids-limit 164',
    `--mount type=bind,source=/dev/shm/tenon-x,target=/.tenon,${READ}`,
    `--mount type=bind,source=/etc,target=/etc,${READ}`,
    '--mount type=bind,source=/home/me/cache,target=/home/me/cache',
    '--mount type=bind,source=/home/me/project,target=/home/me/project',
    `--mount type=bind,source=/dev/shm/tenon-x/hidden-file,target=/home/me/project/.env,${READ}`,
    `--mount type=bind,source=/home/me/project/.git,target=/home/me/project/.git,${READ}`,
    '--mount type=bind,source=/home/me/project/sub,target=/home/me/project/sub',
    `--mount type=bind,source=/home/me/project/sub/.git,target=/home/me/project/sub/.git,${READ}`,
    '--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777',
    `--mount type=bind,source=/usr,target=/usr,${READ}`,
    '--tmpfs /var/tmp:rw,exec,nosuid,nodev,mode=1777',
    '--runtime runc tenon-skeleton:abc /usr/bin/env -i',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    '/bin/sh /.tenon/agent',
  ].flatMap((line) => line.split(' '));
  expect(argumentsFor(policy, { extraArguments: ['--runtime', 'runc'] })).toEqual(expected);
});

describe('the network', () => {
  test('is the default of the engine only when it is open', () => {
    expect(argumentsFor({ network: { kind: 'open' } })).not.toContain('--network');
  });

  test('is none at all for a list of hosts, because no proxy reaches inside', () => {
    const args = argumentsFor({ network: { kind: 'hosts', allowed: ['example.org'] } });
    expect(args.slice(args.indexOf('--network')).slice(0, 2)).toEqual(['--network', 'none']);
  });
});

describe('an engine', () => {
  const userOf = (engine: Partial<Engine>) => {
    const args = argumentsFor({}, { engine: { ...DOCKER, ...engine } });
    return args.slice(args.indexOf('tenon=me') + 1, args.indexOf('--read-only'));
  };

  test.each([
    { engine: 'docker', rootless: false, user: ['--user', '1000:100'] },
    { engine: 'docker', rootless: true, user: ['--user', '0:0'] },
    { engine: 'podman', rootless: false, user: ['--user', '1000:100'] },
    { engine: 'podman', rootless: true, user: ['--userns', 'keep-id', '--user', '1000:100'] },
  ] as const)('$engine (rootless: $rootless) runs commands as the caller', ({ engine, rootless, user }) => {
    expect(userOf({ engine, rootless })).toEqual(user);
  });

  test('podman is kept from making places writable by itself', () => {
    expect(argumentsFor({}, { engine: { ...DOCKER, engine: 'podman' } })).toContain('--read-only-tmpfs=false');
  });

  test('with SELinux leaves the labels of the host alone', () => {
    expect(argumentsFor({}, { engine: { ...DOCKER, selinux: true } })).toContain('label=disable');
    expect(argumentsFor({})).not.toContain('label=disable');
  });
});

describe('mounts', () => {
  test('are the system and nothing of the home folder by default', () => {
    expect(mountsFor({ hidden: [place('/home/me')] })).toEqual(withSystem());
  });

  test('leave out the private folder for temporary files where a writable place is or holds it', () => {
    expect(mountsFor({ writable: [place('/tmp')] })).toEqual(
      withSystem('write /tmp from /tmp').filter((line) => line !== 'scratch /tmp'),
    );
    expect(mountsFor({ granted: [place('/var')] })).toEqual(
      withSystem('write /var from /var').filter((line) => line !== 'scratch /var/tmp'),
    );
    expect(mountsFor({ writable: [place('/tmp/one')] })).toEqual(withSystem('write /tmp/one from /tmp/one'));
  });

  test('show more that may be read', () => {
    expect(mountsFor({}, { readable: [absolutePath('/srv/data')] })).toEqual(
      withSystem('read /srv/data from /srv/data'),
    );
  });

  test('are one for each path, of which what is protected wins over what is writable, and a right over that', () => {
    const root = [place('/r')];
    expect(mountsFor({ writable: root, protected: root })).toEqual(withSystem('read /r from /r'));
    expect(mountsFor({ protected: root, granted: root })).toEqual(withSystem('write /r from /r'));
    expect(mountsFor({ writable: [place('/etc')] })).toEqual(
      withSystem('write /etc from /etc').filter((line) => line !== 'read /etc from /etc'),
    );
  });

  test('cover what is hidden, with all that would be visible in it', () => {
    const policy = {
      writable: [place('/r'), place('/r/secret/inner')],
      granted: [place('/r/secret/granted')],
      hidden: [place('/r/secret'), place('/r/secret/more'), place('/etc/shadow', 'file')],
    };
    expect(mountsFor(policy)).toEqual(
      withSystem(
        'write /r from /r',
        'read /r/secret from /dev/shm/tenon-x/hidden-folder',
        'read /etc/shadow from /dev/shm/tenon-x/hidden-file',
      ),
    );
  });

  test('cover a root that is hidden itself', () => {
    expect(mountsFor({ writable: [place('/r')], hidden: [place('/r')] })).toEqual(
      withSystem('read /r from /dev/shm/tenon-x/hidden-folder'),
    );
  });

  test('do not cover a hidden folder that is not mounted, because a root may be in it', () => {
    expect(mountsFor({ writable: [place('/home/me/r')], hidden: [place('/home/me')] })).toEqual(
      withSystem('write /home/me/r from /home/me/r'),
    );
  });

  test('keep paths with commas, quotes and colons whole', () => {
    const path = absolutePath('/a,b/"c"/d:e');
    expect(mountArguments({ kind: 'bind', source: path, target: path, access: 'write' })).toEqual([
      '--mount',
      'type=bind,"source=/a,b/""c""/d:e","target=/a,b/""c""/d:e"',
    ]);
  });

  test.each(['\n', '\r'])('refuse a path with a line break', (text) => {
    const path = absolutePath(`/a${text}b`);
    expect(() => mountArguments({ kind: 'bind', source: path, target: path, access: 'write' })).toThrow('line break');
  });
});

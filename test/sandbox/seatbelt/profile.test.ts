import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import type { ResolvedPolicy } from '../../../src/sandbox/policy.js';
import { seatbeltProfile } from '../../../src/sandbox/seatbelt/profile.js';
import { propertyRuns } from '../../support/property-runs.js';
import { NOTHING_ALLOWED } from '../../../src/sandbox/policy.js';
import { file, folder, WORKSPACE } from './policies.js';
import { decide, parseProfile, usedParameters } from './sbpl.js';

describe('the text', () => {
  test('a workspace is written as a list of rules over parameters', () => {
    const { profile, parameters } = seatbeltProfile(WORKSPACE, { proxyPort: 3128 });
    expect(profile.slice(profile.indexOf('; Files'))).toMatchInlineSnapshot(`
      "; Files
      (allow file-read* file-map-executable)
      (allow file-write* (require-all
        (require-any (subpath (param "WRITABLE_0")) (subpath (param "WRITABLE_1")))
        (require-not (subpath (param "PROTECTED_0")))
        (require-not (subpath (param "PROTECTED_1")))
        (require-not (subpath (param "LINK_0")))
        (require-not (subpath (param "ABSENT_0")))
        (require-not (regex (param "ABSENT_PATTERN_0")))
      ))
      (allow file-write* (literal (param "GRANTED_0")))
      (allow file-write* (subpath (param "GRANTED_1")))
      (deny file-write-unlink (literal (param "PINNED_0")))
      (deny file-write-unlink (literal (param "PINNED_1")))
      (deny file-write-unlink (literal (param "PINNED_2")))
      (deny file-write-unlink (literal (param "PINNED_3")))
      (deny file-write-unlink (literal (param "PINNED_4")))
      (deny file-write-unlink (literal (param "PINNED_5")))
      (deny file-read* file-map-executable file-write* process-exec (subpath (param "HIDDEN_0")))
      (deny file-read* file-map-executable file-write* process-exec (subpath (param "HIDDEN_1")))
      ; Network
      (allow network-outbound (remote ip "localhost:*"))
      (allow network-bind network-inbound (local ip "localhost:*"))
      (allow network-outbound (remote ip "localhost:3128"))
      "
    `);
    expect(parameters).toMatchInlineSnapshot(`
      {
        "ABSENT_0": "/private/tmp/.git",
        "ABSENT_PATTERN_0": "^/private/tmp/\\.[gG][iI][tT](/|$)",
        "GRANTED_0": "/Users/me/work/.git/info/exclude",
        "GRANTED_1": "/opt/cache",
        "HIDDEN_0": "/Users/me/.ssh",
        "HIDDEN_1": "/Users/me/work/app/.env",
        "LINK_0": "/Users/me/work/.agents",
        "PINNED_0": "/Users/me/work",
        "PINNED_1": "/private/tmp",
        "PINNED_2": "/opt/cache",
        "PINNED_3": "/Users/me/work/deep",
        "PINNED_4": "/Users/me/work/deep/down",
        "PINNED_5": "/Users/me/work/app",
        "PROTECTED_0": "/Users/me/work/.git",
        "PROTECTED_1": "/Users/me/work/deep/down/.git",
        "WRITABLE_0": "/Users/me/work",
        "WRITABLE_1": "/private/tmp",
      }
    `);
  });

  test('whatever the policy, a profile starts with the same rules', () => {
    const { profile } = seatbeltProfile(NOTHING_ALLOWED);
    expect(profile.slice(0, profile.indexOf('; Files'))).toMatchInlineSnapshot(`
      "(version 1)
      (deny default)
      ; Processes: its own only
      (allow process-exec process-fork)
      (allow signal (target same-sandbox))
      (allow process-info* (target same-sandbox))
      (allow ipc-posix-sem)
      ; Facts about the machine
      (allow sysctl-read
        (sysctl-name "hw.activecpu")
        (sysctl-name "hw.byteorder")
        (sysctl-name "hw.cacheconfig")
        (sysctl-name "hw.cachelinesize")
        (sysctl-name "hw.cachelinesize_compat")
        (sysctl-name "hw.cachesize")
        (sysctl-name "hw.cpufamily")
        (sysctl-name "hw.cpufrequency")
        (sysctl-name "hw.cpufrequency_compat")
        (sysctl-name "hw.cpusubfamily")
        (sysctl-name "hw.cpusubtype")
        (sysctl-name "hw.cputype")
        (sysctl-name "hw.l1dcachesize")
        (sysctl-name "hw.l1icachesize")
        (sysctl-name "hw.l2cachesize")
        (sysctl-name "hw.l3cachesize")
        (sysctl-name "hw.logicalcpu")
        (sysctl-name "hw.logicalcpu_max")
        (sysctl-name "hw.machine")
        (sysctl-name "hw.memsize")
        (sysctl-name "hw.model")
        (sysctl-name "hw.ncpu")
        (sysctl-name "hw.nperflevels")
        (sysctl-name "hw.packages")
        (sysctl-name "hw.pagesize")
        (sysctl-name "hw.pagesize_compat")
        (sysctl-name "hw.physicalcpu")
        (sysctl-name "hw.physicalcpu_max")
        (sysctl-name "hw.tbfrequency")
        (sysctl-name "hw.vectorunit")
        (sysctl-name "kern.argmax")
        (sysctl-name "kern.hostname")
        (sysctl-name "kern.iossupportversion")
        (sysctl-name "kern.maxfiles")
        (sysctl-name "kern.maxfilesperproc")
        (sysctl-name "kern.maxproc")
        (sysctl-name "kern.ngroups")
        (sysctl-name "kern.osproductversion")
        (sysctl-name "kern.osrelease")
        (sysctl-name "kern.ostype")
        (sysctl-name "kern.osvariant_status")
        (sysctl-name "kern.osversion")
        (sysctl-name "kern.secure_kernel")
        (sysctl-name "kern.tcsm_available")
        (sysctl-name "kern.tcsm_enable")
        (sysctl-name "kern.usrstack64")
        (sysctl-name "kern.version")
        (sysctl-name "machdep.cpu.brand_string")
        (sysctl-name "machdep.cpu.core_count")
        (sysctl-name "machdep.cpu.thread_count")
        (sysctl-name "machdep.ptrauth_enabled")
        (sysctl-name "security.mac.lockdown_mode_state")
        (sysctl-name "sysctl.proc_cputype")
        (sysctl-name "vm.loadavg")
        (sysctl-name "vm.pagesize")
        (sysctl-name-prefix "hw.optional.")
        (sysctl-name-prefix "hw.perflevel"))
      ; Users and groups, the folder for temporary files, news of the clock, settings to read
      (allow mach-lookup
        (global-name "com.apple.system.opendirectoryd.libinfo")
        (global-name "com.apple.system.opendirectoryd.membership")
        (global-name "com.apple.bsd.dirhelper")
        (global-name "com.apple.system.notification_center")
        (global-name "com.apple.cfprefsd.daemon")
        (global-name "com.apple.cfprefsd.agent"))
      (allow ipc-posix-shm-read*
        (ipc-posix-name "apple.shm.notification_center")
        (ipc-posix-name-prefix "apple.cfprefs."))
      (allow user-preference-read)
      ; Devices and terminals
      (allow file-write-data file-ioctl
        (literal "/dev/null")
        (literal "/dev/zero")
        (literal "/dev/tty")
        (literal "/dev/ptmx"))
      (allow file-read-data file-ioctl (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/dtracehelper"))
      (allow pseudo-tty)
      (allow file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
      (allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
      "
    `);
  });

  test('an open network is written without the sockets of the host', () => {
    const { profile } = seatbeltProfile({ ...NOTHING_ALLOWED, network: { kind: 'open' } }, { proxyPort: 3128 });
    expect(profile.slice(profile.indexOf('; Network'))).toMatchInlineSnapshot(`
      "; Network
      (allow network-outbound (remote ip "*:*") (literal "/private/var/run/mDNSResponder"))
      (allow network-bind network-inbound (local ip "*:*"))
      (allow system-socket)
      (allow mach-lookup
        (global-name "com.apple.SystemConfiguration.configd")
        (global-name "com.apple.SystemConfiguration.DNSConfiguration")
        (global-name "com.apple.networkd")
        (global-name "com.apple.trustd")
        (global-name "com.apple.trustd.agent"))
      "
    `);
  });

  test('sockets of its own live in its own folder', () => {
    const { profile, parameters } = seatbeltProfile(
      { ...NOTHING_ALLOWED, unixSockets: 'private' },
      { localhost: false, ownFolder: absolutePath('/private/tmp/own') },
    );
    expect(profile.slice(profile.indexOf('; Network'))).toMatchInlineSnapshot(`
      "; Network
      (allow system-socket (socket-domain AF_UNIX))
      (allow network-outbound (remote unix-socket (subpath (param "OWN_0"))))
      (allow network-bind network-inbound (local unix-socket (subpath (param "OWN_0"))))
      "
    `);
    expect(parameters).toEqual({ OWN_0: '/private/tmp/own' });
  });

  test('without a folder of its own, or without being asked for, there are no sockets with a path', () => {
    const asked = seatbeltProfile({ ...NOTHING_ALLOWED, unixSockets: 'private' });
    const notAsked = seatbeltProfile(NOTHING_ALLOWED, { ownFolder: absolutePath('/private/tmp/own') });
    expect([asked.profile, notAsked.profile].filter((text) => text.includes('unix'))).toEqual([]);
  });

  test('with neither localhost nor a proxy there is no rule for the network at all', () => {
    expect(seatbeltProfile(NOTHING_ALLOWED, { localhost: false }).profile).not.toContain('(allow network');
  });

  test.each([0, 65_536, 1.5, Number.NaN])('%s is no port', (proxyPort) => {
    expect(() => seatbeltProfile(NOTHING_ALLOWED, { proxyPort })).toThrow(RangeError);
  });
});

describe('what it says', () => {
  const profile = seatbeltProfile(WORKSPACE, { ownFolder: absolutePath('/private/var/own') });
  const write = (path: string) => decide(profile, 'file-write-data', path);
  const create = (path: string) => decide(profile, 'file-write-create', path);
  const rename = (path: string) => decide(profile, 'file-write-unlink', path);
  const read = (path: string) => decide(profile, 'file-read-data', path);

  test('writing works in writable places and in the own folder, and nowhere else', () => {
    expect(['/Users/me/work/a', '/private/tmp/x/y', '/private/var/own/z'].map(write)).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
    expect(['/Users/me/other', '/Users/me/works', '/etc/passwd', '/'].map(write)).toEqual(Array(4).fill('deny'));
  });

  test('what is protected cannot be written, renamed or made', () => {
    const kept = ['/Users/me/work/.git/config', '/Users/me/work/deep/down/.git', '/Users/me/work/.agents'];
    expect(kept.flatMap((path) => [write(path), rename(path), create(path)])).toEqual(Array(9).fill('deny'));
    expect(write('/Users/me/work/.github/x')).toBe('allow');
  });

  test('a protected name that is not there cannot appear, in whichever case', () => {
    const made = ['/private/tmp/.git', '/private/tmp/.git/hooks', '/private/tmp/.GIT', '/private/tmp/.Git/config'];
    expect(made.map(create)).toEqual(Array(4).fill('deny'));
    expect(['/private/tmp/.gitignore', '/private/tmp/a/.git', '/private/tmp/xgit'].map(create)).toEqual(
      Array(3).fill('allow'),
    );
  });

  test('a single right makes a place writable again', () => {
    expect(['/Users/me/work/.git/info/exclude', '/opt/cache/a'].map(write)).toEqual(['allow', 'allow']);
    expect(['/Users/me/work/.git/info/exclude/x', '/Users/me/work/.git/info/other'].map(write)).toEqual([
      'deny',
      'deny',
    ]);
  });

  test('no folder on the way to something kept or hidden can be renamed, and can be written to', () => {
    const pinned = [
      '/Users/me/work',
      '/Users/me/work/deep',
      '/Users/me/work/deep/down',
      '/Users/me/work/app',
      '/private/tmp',
    ];
    expect(pinned.map(rename)).toEqual(Array(5).fill('deny'));
    expect(pinned.map((path) => create(`${path}/new`))).toEqual(Array(5).fill('allow'));
    expect(rename('/Users/me/work/deep/other')).toBe('allow');
  });

  test('a folder that the policy pins cannot be renamed', () => {
    const pinning = seatbeltProfile({ ...NOTHING_ALLOWED, writable: [folder('/a')], pinned: [folder('/a/b')] });
    expect(decide(pinning, 'file-write-unlink', '/a/b')).toBe('deny');
  });

  test('everything can be read but what is hidden', () => {
    expect(['/etc/passwd', '/Users/me/work/.git/config'].map(read)).toEqual(['allow', 'allow']);
    expect(['/Users/me/.ssh', '/Users/me/.ssh/id', '/Users/me/work/app/.env'].map(read)).toEqual(Array(3).fill('deny'));
  });

  test('no right reaches into what is hidden', () => {
    const granted = seatbeltProfile({ ...NOTHING_ALLOWED, granted: [folder('/a')], hidden: [folder('/a/b/c')] });
    expect(decide(granted, 'file-write-data', '/a/b/c/d')).toBe('deny');
    expect(decide(granted, 'file-write-unlink', '/a/b')).toBe('deny');
    expect(decide(granted, 'file-write-data', '/a/b/d')).toBe('allow');
  });

  test('a writable file is not a writable folder', () => {
    const one = seatbeltProfile({ ...NOTHING_ALLOWED, writable: [file('/a/f')] });
    expect([decide(one, 'file-write-data', '/a/f'), decide(one, 'file-write-data', '/a/f/g')]).toEqual([
      'allow',
      'deny',
    ]);
  });
});

const MARK = 'mark7e';
const awkward = fc
  .array(
    fc.constantFrom('"', '(', ')', '\n', '\\', ';', '#"', ' ', "'", '=', '-D', '$', '[', '(allow default)', 'ä', '*'),
  )
  .map((parts) => `/${MARK}${parts.join('')}`);
const places = fc.array(awkward, { maxLength: 3 }).map((paths) => paths.map(folder));
const paths = fc.array(awkward, { maxLength: 3 }).map((each) => each.map(absolutePath));

const anyPolicy: fc.Arbitrary<ResolvedPolicy> = fc.record({
  writable: places,
  protected: places,
  pinned: places,
  granted: places,
  hidden: places,
  links: paths.map((each) => each.map((path) => ({ path, target: 'x' }))),
  absent: paths,
  network: fc.constantFrom({ kind: 'open' as const }, { kind: 'hosts' as const, allowed: [`${MARK}.org`] }),
  unixSockets: fc.constantFrom('none' as const, 'private' as const),
  limits: fc.constant({}),
});

test('whatever files are called, the profile can be read, holds no path, and uses exactly its parameters', () => {
  fc.assert(
    fc.property(anyPolicy, awkward, (policy, own) => {
      const { profile, parameters } = seatbeltProfile(policy, { ownFolder: absolutePath(own), proxyPort: 1 });
      const forms = parseProfile(profile);
      expect(profile).not.toContain(MARK);
      expect(forms.every((form) => Array.isArray(form))).toBe(true);
      expect([...new Set(usedParameters(forms))].toSorted()).toEqual(Object.keys(parameters).toSorted());
    }),
    propertyRuns(200),
  );
});

test('whatever an absent name is, its pattern holds for it and what is below it, and for no neighbour', () => {
  fc.assert(
    fc.property(awkward, awkward, (top, name) => {
      const absent = absolutePath(`${top}${name}`);
      const profile = seatbeltProfile({ ...NOTHING_ALLOWED, writable: [folder('/')], absent: [absent] });
      const decisions = [absent, absent.toUpperCase(), `${absent}/x`, `${absent}x`].map((path) =>
        decide(profile, 'file-write-create', path),
      );
      expect(decisions).toEqual([
        'deny',
        absent.startsWith(`${top}/`) && top === top.toUpperCase() ? 'deny' : 'allow',
        'deny',
        'allow',
      ]);
    }),
    propertyRuns(200),
  );
});

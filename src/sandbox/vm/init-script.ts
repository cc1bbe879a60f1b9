/**
 * The first program of the guest. It loads what the kernel lacks, mounts the host's files and the guest's own folders,
 * and becomes the agent. If a step fails, the guest is over.
 */
import type { ResolvedPolicy } from '../policy.js';
import { AGENT_PORT, ROOT_TAG } from './guest-arguments.js';

export type InitOptions = {
  /** Files in `/modules`, in the order to load them. */
  readonly modules: readonly string[];
  /** Perl, by its path on the host, and what the agent is given. */
  readonly perl: string;
  readonly agentArguments: readonly string[];
};

export function initScript(resolved: Pick<ResolvedPolicy, 'network'>, options: InitOptions): string {
  const { modules, perl, agentArguments } = options;
  return [
    OWN_FOLDERS,
    ...modules.map((name) => `$b insmod ${quoted(`/modules/${name}`)}`),
    rootFolders(),
    ...(resolved.network.kind === 'open' ? [OPEN_NETWORK] : []),
    AGENT,
    `exec $b switch_root /machine ${quoted(perl)} -e "$($b cat /agent.pl)" -- ${agentArguments.map(quoted).join(' ')}`,
    '',
  ].join('\n');
}

const OWN_FOLDERS = `#!/bin/busybox sh
set -e
b=/bin/busybox
trap '$b reboot -f' EXIT
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev`;

const DEVICES = { null: '1 3', zero: '1 5', full: '1 7', random: '1 8', urandom: '1 9', tty: '5 0' };
const LINKS = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
  ptmx: 'pts/ptmx',
};

/** Commands get none of the devices of the machine, the port of the agent least of all. */
function rootFolders(): string {
  return `$b mount -t virtiofs -o nosuid,nodev ${ROOT_TAG} /machine
$b mount -t proc -o nosuid,nodev,noexec proc /machine/proc
$b mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /machine/sys
$b mount -t tmpfs -o nosuid,nodev,mode=0755 run /machine/run
$b mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 /machine/sys/fs/cgroup
$b mount -t tmpfs -o nosuid,noexec,mode=0755,size=64k dev /machine/dev
${Object.entries(DEVICES)
  .map(([name, numbers]) => `$b mknod -m 666 /machine/dev/${name} c ${numbers}`)
  .join('\n')}
${Object.entries(LINKS)
  .map(([name, target]) => `$b ln -s ${target} /machine/dev/${name}`)
  .join('\n')}
$b mkdir /machine/dev/pts /machine/dev/shm
$b mount -t devpts -o nosuid,noexec,newinstance,ptmxmode=0666,mode=620 devpts /machine/dev/pts
$b mount -t tmpfs -o nosuid,nodev,mode=1777 shm /machine/dev/shm
$b ip link set lo up`;
}

/** The addresses are those that QEMU gives to its own network; the file of names is often a link into `/run`. */
const OPEN_NETWORK = `for card in /sys/class/net/e*; do card=\${card##*/}; done
$b ip link set "$card" up
$b ip address add 10.0.2.15/24 dev "$card"
$b ip route add default via 10.0.2.2
echo nameserver 10.0.2.3 >/resolv.conf
link=$($b readlink /machine/etc/resolv.conf || true)
case "$link" in
*run/*)
  names=/machine/run/\${link#*run/}
  $b mkdir -p "\${names%/*}"
  $b cp /resolv.conf "$names"
  ;;
*) $b mount --bind /resolv.conf /machine/etc/resolv.conf ;;
esac`;

const AGENT = `port=
for each in /sys/class/virtio-ports/*; do
  if [ "$($b cat "$each/name")" = ${AGENT_PORT} ]; then port=\${each##*/}; fi
done
exec 3<>"/dev/$port"`;

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

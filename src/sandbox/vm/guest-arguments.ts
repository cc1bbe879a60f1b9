/** The command line of the machine. It has a console, the host's files, a port for the agent, and nothing else. */
import type { ResolvedPolicy } from '../policy.js';
import type { Architecture } from './system-calls.js';

export type Accelerator = 'kvm' | 'tcg';

export type MachineOptions = {
  readonly architecture: Architecture;
  readonly accelerator: Accelerator;
  readonly kernel: string;
  readonly initramfs: string;
  /** Sockets of the program that serves files, and of the one that speaks with the agent. */
  readonly filesSocket: string;
  readonly agentSocket: string;
  readonly cpus: number;
  /** What the guest has in all; what commands may take is bounded inside of it, and gets added to it. */
  readonly memoryBytes: number;
};

export const AGENT_PORT = 'tenon.0';
export const ROOT_TAG = 'root';

const MEBIBYTE = 1024 * 1024;

export function guestArguments(resolved: ResolvedPolicy, options: MachineOptions): readonly string[] {
  const memory = `${memoryMebibytes(resolved, options)}M`;
  return [
    bareMachine(options),
    ['-m', memory],
    // The program that serves files writes into the guest's memory.
    ['-object', `memory-backend-memfd,id=memory,size=${memory},share=on`, '-numa', 'node,memdev=memory'],
    ['-chardev', `socket,id=files,path=${escaped(options.filesSocket)}`],
    ['-device', `vhost-user-fs-pci,chardev=files,tag=${ROOT_TAG}`],
    ['-chardev', `socket,id=agent,path=${escaped(options.agentSocket)}`],
    ['-device', 'virtio-serial-pci', '-device', `virtserialport,chardev=agent,name=${AGENT_PORT}`],
    resolved.network.kind === 'open' ? ['-nic', 'user,model=virtio-net-pci'] : ['-nic', 'none'],
  ].flat();
}

/** A machine that can print and has nothing to reach, with which an accelerator is tried. */
export function bareMachine(
  options: Pick<MachineOptions, 'architecture' | 'accelerator' | 'kernel' | 'initramfs' | 'cpus'>,
): readonly string[] {
  const { architecture, accelerator, kernel, initramfs, cpus } = options;
  return [
    ['-nodefaults', '-no-user-config', '-display', 'none', '-monitor', 'none', '-no-reboot'],
    ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    ['-machine', architecture === 'x64' ? 'q35' : 'virt'],
    ['-accel', accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi'],
    ['-cpu', accelerator === 'kvm' ? 'host' : 'max'],
    ['-smp', String(cpus)],
    ['-kernel', kernel, '-initrd', initramfs, '-append', kernelLine(architecture)],
    ['-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console'],
  ].flat();
}

function memoryMebibytes({ limits }: ResolvedPolicy, { memoryBytes }: MachineOptions): number {
  return Math.ceil((memoryBytes + (limits.memoryBytes ?? 0)) / MEBIBYTE);
}

/** A guest that fails ends at once, and the machine with it. */
function kernelLine(architecture: Architecture): string {
  const console = architecture === 'x64' ? 'ttyS0' : 'ttyAMA0';
  return `console=${console} quiet loglevel=3 panic=-1 random.trust_cpu=on`;
}

/** In a value, a comma is written twice. */
function escaped(value: string): string {
  return value.replaceAll(',', ',,');
}

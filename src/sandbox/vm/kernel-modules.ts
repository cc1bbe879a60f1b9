/** Which parts of a kernel have to be loaded before the guest can see its files and its port, in what order. */
import { ConfigError } from '../../core/errors.js';

export type ModuleLists = {
  /** The text of `modules.dep`: a file, a colon, and the files it needs. */
  readonly dependencies: string;
  /** The text of `modules.builtin`: files that the kernel holds already. */
  readonly builtin: string;
};

export const GUEST_MODULES = ['virtio_pci', 'virtiofs', 'virtio_console'] as const;
export const NETWORK_MODULES = ['virtio_net'] as const;

/** Files, relative to the folder of the lists, each after all that it needs. */
export function moduleFiles(names: readonly string[], { dependencies, builtin }: ModuleLists): readonly string[] {
  const needs = new Map(lines(dependencies).map(parseLine));
  const byName = new Map([...needs.keys()].map((file) => [moduleName(file), file]));
  const held = new Set(lines(builtin).map(moduleName));
  const wanted = names.filter((name) => !held.has(name)).map((name) => byName.get(name) ?? missing(name));
  const ordered = new Set<string>();
  const started = new Set<string>();
  const add = (file: string): void => {
    if (started.has(file)) return;
    started.add(file);
    for (const need of needs.get(file) ?? []) add(need);
    ordered.add(file);
  };
  for (const file of wanted) add(file);
  return [...ordered];
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function parseLine(line: string): readonly [file: string, needs: readonly string[]] {
  const [file = '', rest = ''] = line.split(':', 2);
  return [file, rest.split(' ').filter((each) => each !== '')];
}

/** A dash and an underscore are the same in the name of a module. */
function moduleName(file: string): string {
  return file
    .slice(file.lastIndexOf('/') + 1)
    .replace(/\.ko(\.\w+)?$/, '')
    .replaceAll('-', '_');
}

function missing(name: string): never {
  throw new ConfigError(
    `the kernel for the virtual machine has no ${name}; name another one, or the folder of its modules`,
  );
}

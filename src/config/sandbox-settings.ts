/** The settings of the sandbox, from the several tables that hold them. */
import type { SandboxLimits, SandboxSettings } from '../core/sandbox-settings.js';
import type { Config } from './config-schema.js';
import { given } from './given.js';

const BYTES_PER_MB = 1024 * 1024;

export function sandboxSettings(config: Config): SandboxSettings {
  const { sandbox = {}, sandbox_workspace_write: writing = {}, tool_security: security = {} } = config;
  return given({
    backend: config.sandbox_policy,
    writableRoots: writing.writable_roots,
    network: writing.network_access,
    excludeSlashTmp: writing.exclude_slash_tmp,
    excludeTmpdir: writing.exclude_tmpdir_env_var,
    allowedHosts: security.allowed_network_domains,
    hide: sandbox.hide,
    show: sandbox.show,
    unixSockets: sandbox.unix_sockets,
    watchPaths: sandbox.watch_paths,
    limits: limits(sandbox.limits ?? {}),
    chrootRoot: sandbox.chroot_root,
    containerEngine: sandbox.container_engine,
    vmKernel: sandbox.vm_kernel,
  });
}

type Limits = NonNullable<NonNullable<Config['sandbox']>['limits']>;

function limits({
  memory_mb: memory,
  processes,
  cpu_seconds: cpu,
  file_mb: file,
  wall_seconds: wall,
}: Limits): SandboxLimits {
  return given({
    memoryBytes: memory === undefined ? undefined : Math.round(memory * BYTES_PER_MB),
    processes,
    cpuSeconds: cpu,
    fileBytes: file === undefined ? undefined : Math.round(file * BYTES_PER_MB),
    wallSeconds: wall,
  });
}

/** The keys of `config.toml` about the sandbox and the environment of commands. */
import {
  array,
  boolean,
  enum as oneOf,
  minimum,
  number,
  object,
  optional,
  pipe,
  record,
  string,
  transform,
  union,
} from 'zod/mini';

import { ENVIRONMENT_INHERITS } from '../core/environment-policy.js';

/** A variable is text to a command, but nobody quotes `CI = 1` or `DEBUG = true`. */
const variable = () => pipe(union([string(), number(), boolean()]), transform(String));

export const environmentSchema = () =>
  object({
    inherit: optional(oneOf(ENVIRONMENT_INHERITS)),
    ignore_default_excludes: optional(boolean()),
    exclude: optional(array(string())),
    set: optional(record(string(), variable())),
    include_only: optional(array(string())),
  });

/** As in Codex; only for the mode of that name. */
export const workspaceWriteSchema = () =>
  object({
    writable_roots: optional(array(string())),
    network_access: optional(boolean()),
    exclude_tmpdir_env_var: optional(boolean()),
    exclude_slash_tmp: optional(boolean()),
  });

const amount = () => optional(number().check(minimum(1)));

const limitsSchema = () =>
  object({
    memory_mb: amount(),
    processes: amount(),
    cpu_seconds: amount(),
    file_mb: amount(),
    wall_seconds: amount(),
  });

export const sandboxSchema = () =>
  object({
    hide: optional(array(string())),
    show: optional(array(string())),
    unix_sockets: optional(oneOf(['none', 'private'])),
    watch_paths: optional(boolean()),
    limits: optional(limitsSchema()),
    chroot_root: optional(string()),
    container_engine: optional(string()),
    vm_kernel: optional(string()),
  });

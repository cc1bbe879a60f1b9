/** What a user can set about the sandbox, beside its mode. */

export const SANDBOX_BACKENDS = [
  'auto',
  'cell',
  'bubblewrap',
  'landlock',
  'seatbelt',
  'docker',
  'chroot',
  'vm',
] as const;
export type SandboxBackend = (typeof SANDBOX_BACKENDS)[number];

export type SandboxSettings = {
  /** What confines commands. Default `auto`: the strongest that works here. */
  readonly backend?: SandboxBackend;
  /** Folders beside the workspace that may be written to. */
  readonly writableRoots?: readonly string[];
  /** Lets commands reach every host. Default false. */
  readonly network?: boolean;
  /** Hosts that may be reached while the network is off: `example.com`, `*.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Whether `/tmp` may not be written to. Default false. */
  readonly excludeSlashTmp?: boolean;
  /** Whether the folder of `$TMPDIR` may not be written to. Default false. */
  readonly excludeTmpdir?: boolean;
  /** Files and folders that commands cannot read, beside those that are hidden by default; `~/` is the home folder. */
  readonly hide?: readonly string[];
  /** Those of the default list that they can. */
  readonly show?: readonly string[];
  /** `private`: commands may make sockets with a path, which break out of no namespace. Default `none`. */
  readonly unixSockets?: 'none' | 'private';
  /** Notes every path that a command tries to change, so that what was blocked is known exactly; slower. Default false. */
  readonly watchPaths?: boolean;
  readonly limits?: SandboxLimits;
  /** For the backend `chroot`: the folder that becomes the root. */
  readonly chrootRoot?: string;
  /** For the backend `docker`: the engine's program. Default: `docker`, else `podman`. */
  readonly containerEngine?: string;
  /** For the backend `vm`: the kernel to start. Default: the newest of the machine. */
  readonly vmKernel?: string;
};

/** Of one command with all that it starts. */
export type SandboxLimits = {
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
  readonly fileBytes?: number;
  /** However long it may take by its call. */
  readonly wallSeconds?: number;
};

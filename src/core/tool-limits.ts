/** How much the tools of one runtime may do; what is not given is not bounded. */
export type ToolLimits = {
  /** Calls that run commands. */
  readonly maxShellCommands?: number;
  /** Of a file that is read or written through tools, or written by a confined command. */
  readonly maxFileBytes?: number;
};

/** What a session tells its model beside the user's words, gathered from the settings, the folder and the machine. */
import path from 'node:path';

import type { Config } from './config/config-schema.js';
import { findProject } from './config/project.js';
import type { ContextSnapshot } from './context/context-entries.js';
import { readProjectDocs } from './context/project-docs.js';
import type { ProjectDocs } from './context/project-docs.js';
import { readEnvironment } from './context/read-environment.js';
import { absolutePath } from './core/paths.js';
import { profileOf } from './create-policy.js';
import { defaultHome } from './options.js';
import type { RuntimeOptions } from './options.js';
import { usualShell } from './exec/shell.js';

export type ContextParts = {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly config: Config;
  /** What the runtime was given. */
  readonly given: RuntimeOptions;
  readonly warn: (message: string) => void;
};

/** Looked at anew before each turn; what is wrong with a file is said once. */
export function sessionContext({ config, given, warn, ...place }: ContextParts): () => ContextSnapshot {
  const cwd = absolutePath(path.resolve(place.cwd));
  const home = place.home ?? defaultHome();
  const { mode, writableRoots, network } = profileOf(given, { cwd });
  const { root } = findProject(cwd, home);
  const shell = path.basename(usualShell());
  const warnOnce = once(warn);
  return () => {
    const { text, warnings } = docsFor(config, { cwd, root, home });
    for (const warning of warnings) warnOnce(warning);
    const networkAccess = network || mode === 'danger-full-access';
    return {
      permissions: {
        sandboxMode: mode,
        approvalPolicy: given.approvalPolicy ?? 'on-request',
        network,
        allowedHosts: given.sandbox?.allowedHosts ?? [],
        writableRoots,
      },
      environment: readEnvironment({ cwd, shell, writableRoots, networkAccess }),
      ...(text !== undefined && { projectDocs: text }),
      ...(config.developer_instructions !== undefined && { developer: config.developer_instructions }),
    };
  };
}

function docsFor(config: Config, place: { cwd: string; root: string; home: string }): ProjectDocs {
  return readProjectDocs({
    ...place,
    ...(config.project_doc_max_bytes !== undefined && { maxBytes: config.project_doc_max_bytes }),
    ...(config.project_doc_fallback_filenames && { fallbackNames: config.project_doc_fallback_filenames }),
  });
}

function once(tell: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) tell(message);
    told.add(message);
  };
}

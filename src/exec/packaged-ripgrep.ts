/** The ripgrep that comes with us. */
import { createRequire } from 'node:module';

import { isExecutable } from './is-executable.js';

/** The package's own code is not run: it only says where the program is, and throws where there is none. */
export function packagedRipgrep(): string | undefined {
  const program = process.platform === 'win32' ? 'rg.exe' : 'rg';
  try {
    const require = createRequire(import.meta.url);
    const fromPackage = createRequire(require.resolve('@vscode/ripgrep'));
    const found = fromPackage.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`);
    return isExecutable(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

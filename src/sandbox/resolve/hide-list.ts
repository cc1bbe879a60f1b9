/**
 * What no command has to read: keys, tokens, cookies and what was typed before. Each entry is a place where a well-known
 * program keeps such things. Programs that are configured in the same file lose that too: `show` gives it back.
 */
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';

const KEYS = '~/.ssh ~/.gnupg ~/.password-store ~/.local/share/keyrings ~/.config/age ~/.config/sops'.split(' ');

const CLOUDS = [
  ...'~/.aws ~/.azure ~/.config/gcloud ~/.kube ~/.oci ~/.boto ~/.s3cfg ~/.databrickscfg'.split(' '),
  ...'~/.config/doctl ~/.config/rclone ~/.fly ~/.terraform.d/credentials.tfrc.json ~/.vault-token'.split(' '),
];

const ACCOUNTS = [
  ...'~/.netrc ~/_netrc ~/.git-credentials ~/.config/git/credentials ~/.config/gh ~/.config/hub'.split(' '),
  ...'~/.config/glab-cli ~/.config/op ~/.config/github-copilot ~/.docker/config.json ~/.pgpass'.split(' '),
  ...'~/.my.cnf ~/.codex/auth.json ~/.claude/.credentials.json ~/.gemini/oauth_creds.json'.split(' '),
];

/** npm's also names registries, but a token in it can publish in the user's name, and the public registry needs neither. */
const REGISTRIES = [
  ...'~/.npmrc ~/.yarnrc.yml ~/.pypirc ~/.cargo/credentials ~/.cargo/credentials.toml'.split(' '),
  ...'~/.gem/credentials ~/.m2/settings.xml ~/.m2/settings-security.xml ~/.gradle/gradle.properties'.split(' '),
  ...'~/.config/composer/auth.json ~/.composer/auth.json ~/.nuget/NuGet/NuGet.Config'.split(' '),
];

const BROWSERS = [
  ...'~/.mozilla ~/.thunderbird ~/.config/google-chrome ~/.config/chromium ~/.config/BraveSoftware'.split(' '),
  ...'~/.config/microsoft-edge ~/.config/vivaldi ~/.config/opera ~/snap/firefox ~/snap/chromium'.split(' '),
  ...'~/Library/Keychains ~/Library/Cookies ~/Library/Safari'.split(' '),
  '~/Library/Application Support/Firefox',
  '~/Library/Application Support/Google/Chrome',
  '~/Library/Application Support/BraveSoftware',
  '~/Library/Application Support/Microsoft Edge',
  '~/Library/Application Support/com.apple.TCC',
];

const HISTORIES = [
  ...'~/.bash_history ~/.zsh_history ~/.zsh_sessions ~/.bash_sessions'.split(' '),
  ...'~/.local/share/fish/fish_history ~/.python_history ~/.node_repl_history ~/.psql_history'.split(' '),
  ...'~/.mysql_history ~/.sqlite_history'.split(' '),
];

export const DEFAULT_HIDDEN: readonly string[] = [
  ...KEYS,
  ...CLOUDS,
  ...ACCOUNTS,
  ...REGISTRIES,
  ...BROWSERS,
  ...HISTORIES,
];

type HideChanges = { readonly hide?: readonly string[]; readonly show?: readonly string[] };

/** The default ones and those in `hide`, less those that are in `show` or lie in a folder that is. */
export function hiddenPaths(home: AbsolutePath, { hide = [], show = [] }: HideChanges = {}): readonly AbsolutePath[] {
  const hidden = [...new Set([...DEFAULT_HIDDEN, ...hide].map((entry) => expand(home, entry)))];
  const shown = show.map((entry) => expand(home, entry));
  const kept = hidden.filter((file) => !shown.some((folder) => isInside(folder, file)));
  for (const file of shown) {
    const around = kept.find((folder) => isInside(folder, file));
    if (around !== undefined) {
      throw new ConfigError(`show = "${file}" lies in ${around}, which is hidden as a whole; show that instead`);
    }
  }
  return kept;
}

function expand(home: AbsolutePath, entry: string): AbsolutePath {
  if (entry === '~') return home;
  const file = entry.startsWith('~/') ? path.join(home, entry.slice(2)) : entry;
  if (!path.isAbsolute(file)) {
    throw new ConfigError(`"${entry}" is not a path that can be hidden or shown; begin it with ~/ or /`);
  }
  return absolutePath(path.resolve(file));
}

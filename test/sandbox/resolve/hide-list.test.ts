import { describe, expect, test } from 'vitest';

import { ConfigError } from '../../../src/core/errors.js';
import { absolutePath } from '../../../src/core/paths.js';
import { DEFAULT_HIDDEN, hiddenPaths } from '../../../src/sandbox/resolve/hide-list.js';

const HOME = absolutePath('/home/ada');

describe('the list of what is hidden', () => {
  test('holds keys, tokens, cookies and histories below the home folder', () => {
    const hidden = hiddenPaths(HOME);
    const secrets = ['.ssh', '.aws', '.netrc', '.npmrc', '.docker/config.json', '.mozilla', '.bash_history'];
    expect(hidden).toEqual(expect.arrayContaining(secrets.map((name) => `/home/ada/${name}`)));
    expect(hidden.every((file) => file.startsWith('/home/ada/'))).toBe(true);
    expect(hidden).toHaveLength(DEFAULT_HIDDEN.length);
    expect(new Set(hidden).size).toBe(hidden.length);
  });

  test('grows by what is to be hidden as well, each path once', () => {
    const more = hiddenPaths(HOME, { hide: ['~/x/', '/srv/keys', '~', '~/.ssh', '~/x/y/..'] });
    expect(more.slice(DEFAULT_HIDDEN.length)).toEqual(['/home/ada/x', '/srv/keys', '/home/ada']);
  });

  test('loses what is to be shown, and what lies in that', () => {
    const without = (show: readonly string[]) => {
      const left = new Set<string>(hiddenPaths(HOME, { show }));
      return hiddenPaths(HOME).filter((file) => !left.has(file));
    };
    expect(without(['~/.npmrc'])).toEqual(['/home/ada/.npmrc']);
    expect(without(['~/.cargo'])).toEqual(['/home/ada/.cargo/credentials', '/home/ada/.cargo/credentials.toml']);
    expect(without(['~/.npm', '/else'])).toEqual([]);
    expect(hiddenPaths(HOME, { hide: ['~/x'], show: ['~/x'] })).toEqual(hiddenPaths(HOME));
  });

  test('cannot be opened in part', () => {
    expect(() => hiddenPaths(HOME, { show: ['~/.ssh/known_hosts'] })).toThrow(ConfigError);
    expect(() => hiddenPaths(HOME, { show: ['~/.ssh/known_hosts'] })).toThrow('lies in /home/ada/.ssh');
  });

  test.each(['', 'x', './x', '~ada/x', '$HOME/x'])('does not take %j for a path', (entry) => {
    expect(() => hiddenPaths(HOME, { hide: [entry] })).toThrow(ConfigError);
    expect(() => hiddenPaths(HOME, { show: [entry] })).toThrow(ConfigError);
  });
});

import { expect, test } from 'vitest';

import { commandEnvironment } from '../../src/exec/environment.js';

test('a command gets the environment without what looks like a secret, and with settings that keep output plain', () => {
  const environment = commandEnvironment({
    HOME: '/home/a',
    PAGER: 'less',
    OPENAI_API_KEY: 'x',
    github_token: 'x',
    MY_SECRET_THING: 'x',
    DB_PASSWORD: 'x',
    EMPTY: undefined,
  });
  expect(environment).toEqual({
    HOME: '/home/a',
    NO_COLOR: '1',
    TERM: 'dumb',
    COLORTERM: '',
    LANG: 'C.UTF-8',
    LC_CTYPE: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GH_PAGER: 'cat',
  });
});

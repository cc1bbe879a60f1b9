import { describe, expect, test } from 'vitest';

import { builtinTools, runtimeOptions } from '../../src/index.js';
import { failureOf, loadFrom, settingsPlace } from './settings-place.js';

const load = async (toml: string, overrides: readonly string[] = []) =>
  loadFrom(await settingsPlace({ home: { 'config.toml': toml } }), { overrides });

describe('[tool_config] and [tool_security]', () => {
  test('mean the keys that say the same', async () => {
    const { config, warnings } = await load(`
      [tool_config]
      approval_policy = "sandbox"
      sandbox_policy = "docker"
      shell_type = "shell_command"
      experimental_supported_tools = ["a"]
      tools_web_search_request = true
      include_plan_tool = false
      include_apply_patch_tool = false
      include_view_image_tool = true
      use_experimental_streamable_shell_tool = false
      [tool_security]
      max_shell_commands_per_session = 10
      max_file_access_size = "100MB"
      allowed_network_domains = ["api.github.com"]
      audit_log_enabled = true
      audit_log_path = "/var/log/audit.log"
    `);
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      approval_policy: 'sandbox',
      sandbox_policy: 'docker',
      shell_type: 'shell_command',
      experimental_supported_tools: ['a'],
      web_search: 'live',
      apply_patch_tool_type: 'none',
      tools: { update_plan: false, view_image: true },
      features: { unified_exec: false },
      tool_security: {
        max_shell_commands_per_session: 10,
        max_file_access_size: '100MB',
        allowed_network_domains: ['api.github.com'],
        audit_log_enabled: true,
        audit_log_path: '/var/log/audit.log',
      },
    });
    const { toolLimits, auditLog, webSearch, approvalPolicy, sandboxRequired } = runtimeOptions(config);
    expect({ toolLimits, auditLog, webSearch, approvalPolicy, sandboxRequired }).toEqual({
      toolLimits: { maxShellCommands: 10, maxFileBytes: 104_857_600 },
      auditLog: '/var/log/audit.log',
      webSearch: { mode: 'live' },
      approvalPolicy: 'on-failure',
      sandboxRequired: true,
    });
  });

  test('name tools that there are', async () => {
    const { config } = await load('[tool_config]\ninclude_plan_tool = true\ninclude_view_image_tool = true\n');
    const names = new Set(builtinTools.map(({ spec }) => spec.name));
    expect(Object.keys(config.tools ?? {}).filter((name) => !names.has(name))).toEqual([]);
  });

  test('give way to a key in the same file, with a warning if they differ', async () => {
    const { config, warnings } = await load(`approval_policy = "never"
sandbox_policy = "vm"
[tool_config]
approval_policy = "always"
sandbox_policy = "vm"
[tool_security]
approval_policy = "required"
`);
    expect(config).toEqual({ approval_policy: 'never', sandbox_policy: 'vm' });
    expect(warnings).toEqual([
      'HOME/config.toml:7:1: `tool_security.approval_policy` is not used, because `approval_policy` says something else',
      'HOME/config.toml:4:1: `tool_config.approval_policy` is not used, because `approval_policy` says something else',
    ]);
  });

  test('win over a lower layer, and a flag wins over them', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': 'approval_policy = "never"' },
      project: { 'config.toml': '[tool_security]\napproval_policy = "required"' },
    });
    expect((await loadFrom(place)).config).toEqual({ approval_policy: 'required' });
    const { config } = await loadFrom(place, { overrides: ['approval_policy=untrusted'] });
    expect(config).toEqual({ approval_policy: 'untrusted' });
  });

  test('can be flags', async () => {
    expect((await load('', ['tool_config.include_plan_tool=false'])).config).toEqual({ tools: { update_plan: false } });
  });

  test.each([
    ['[tool_config]\napproval_policy = "x"', /:2:19: unknown variant `x`, .* at `approval_policy`/],
    [
      '[tool_config]\ninclude_plan_tool = "no"',
      /:2:21: invalid type: string "no", .* at `tool_config.include_plan_tool`/,
    ],
    ['[tool_security]\nmax_file_access_size = "big"', /:2:24: invalid value .*tool_security.max_file_access_size/],
    ['tool_config = 5', /:1:15: invalid type: integer `5`/],
  ])('are checked where they stand: %s', async (toml, message) => {
    const place = await settingsPlace({ home: { 'config.toml': toml } });
    expect(await failureOf(loadFrom(place), place)).toMatch(message);
  });

  test('unknown keys in them are told', async () => {
    expect((await load('[tool_config]\ninclude_plan_tol = true\n')).warnings).toEqual([
      'HOME/config.toml:2:1: unknown key `tool_config.include_plan_tol` is ignored; did you mean `include_plan_tool`?',
    ]);
  });
});

test.each([
  ['tools.web_search=true', { web_search: 'live' }],
  ['tools.web_search={enabled=false}', { web_search: 'disabled' }],
])('%s is understood as Codex has it', async (override, config) => {
  expect((await load('', [override])).config).toEqual(config);
});

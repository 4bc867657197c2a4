import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AGENT_PROGRAMS, type Places } from './agent-programs.ts';

const HOME = join('/', 'home', 'ada');
const linux: Places = { platform: 'linux', home: HOME, env: {} };
const mac: Places = { platform: 'darwin', home: HOME, env: {} };
const windows: Places = { platform: 'win32', home: HOME, env: { APPDATA: join(HOME, 'AppData', 'Roaming') } };
const xdg = (platform: NodeJS.Platform): Places => ({ platform, home: HOME, env: { XDG_CONFIG_HOME: '/xdg' } });

const fileOf = (id: string, places: Places): string => {
  const [file = ''] = AGENT_PROGRAMS.find((one) => one.id === id)?.files(places) ?? [];
  return file.replace(HOME, '~').replaceAll('\\', '/');
};

it.each([
  ['claude-code', '~/.claude.json', '~/.claude.json', '~/.claude.json'],
  [
    'claude-desktop',
    '~/.config/Claude/claude_desktop_config.json',
    '~/Library/Application Support/Claude/claude_desktop_config.json',
    '~/AppData/Roaming/Claude/claude_desktop_config.json',
  ],
  ['codex', '~/.codex/config.toml', '~/.codex/config.toml', '~/.codex/config.toml'],
  ['cursor', '~/.cursor/mcp.json', '~/.cursor/mcp.json', '~/.cursor/mcp.json'],
  [
    'vscode',
    '~/.config/Code/User/mcp.json',
    '~/Library/Application Support/Code/User/mcp.json',
    '~/AppData/Roaming/Code/User/mcp.json',
  ],
  ['opencode', ...Array<string>(3).fill('~/.config/opencode/opencode.jsonc')],
  ['gemini', ...Array<string>(3).fill('~/.gemini/settings.json')],
  ['windsurf', ...Array<string>(3).fill('~/.codeium/windsurf/mcp_config.json')],
  ['devin', '~/.config/devin/config.json', '~/.config/devin/config.json', '~/AppData/Roaming/devin/config.json'],
  ['zed', '~/.config/zed/settings.json', '~/.config/zed/settings.json', '~/AppData/Roaming/Zed/settings.json'],
  ['copilot-cli', ...Array<string>(3).fill('~/.copilot/mcp-config.json')],
  [
    'goose',
    '~/.config/goose/config.yaml',
    '~/.config/goose/config.yaml',
    '~/AppData/Roaming/Block/goose/config/config.yaml',
  ],
])('the file of %s is where each system has it', (id, ...files) => {
  expect([linux, mac, windows].map((places) => fileOf(id, places))).toEqual(files);
});

it('the file of Zed follows XDG_CONFIG_HOME on Linux only', () => {
  expect(fileOf('zed', xdg('linux'))).toBe('/xdg/zed/settings.json');
  expect(fileOf('zed', xdg('darwin'))).toBe('~/.config/zed/settings.json');
});

it('every program has its file in the table', () => {
  expect(AGENT_PROGRAMS).toHaveLength(12);
});

import { join } from 'node:path';
import type { ConfigFormat, EntryPath } from './config-entry.ts';

/** Where programs of a person keep their files on this computer. */
export interface Places {
  platform: NodeJS.Platform;
  /** The person's own folder. */
  home: string;
  env: Record<string, string | undefined>;
}

/**
 * How a program reaches the hub. `sign-in`: the address only, the program opens the authorize page. `session`: the
 * address of one session with its token. `command`: the program starts `homeport agents stdio`, which makes a session
 * at each start.
 */
export type ProgramAccess = 'sign-in' | 'session' | 'command';

export type Reach =
  | { url: string; token?: string }
  /** An absolute path, because programs with a window do not have the path of a shell. */
  | { command: string; args: string[]; env?: Record<string, string> };

export interface AgentProgram {
  id: string;
  name: string;
  format: ConfigFormat;
  /** The first one that exists is used, else the first one. */
  files(places: Places): string[];
  /** `holds`: what the file has at this name; undefined when it has nothing there. */
  path(holds: (name: string) => unknown): EntryPath;
  entry(reach: Reach): object;
  /** The first one is what `agents add` uses. */
  access: readonly [ProgramAccess, ...ProgramAccess[]];
  /** The folder of a person's skills, where its documentation names one. */
  skills?(places: Places): string;
  /** A link that opens the program with this entry; programs ask before they take it. */
  installLink?(url: string): string;
  /** What the person does next, as a sentence. */
  next: string;
  /** How the program calls itself to MCP servers, in lower case; parts of the name. */
  clientNames: readonly string[];
}

/** The name of the entry in every program. */
export const ENTRY_NAME = 'homeport';

const EVERY: AgentProgram['access'] = ['sign-in', 'session', 'command'];

const authorized = (token: string | undefined): object | undefined =>
  token === undefined ? undefined : { Authorization: `Bearer ${token}` };

/** `{url, headers}` with other names and constants; a program that is started is `{command, args}` nearly everywhere. */
function entryOf({
  url = 'url',
  headers = 'headers',
  fixed = {},
  fixedCommand = {},
}: {
  url?: string;
  headers?: string;
  fixed?: object;
  fixedCommand?: object;
}): AgentProgram['entry'] {
  return (reach) => {
    if ('command' in reach) return { ...fixedCommand, ...reach };
    const sent = authorized(reach.token);
    return { ...fixed, [url]: reach.url, ...(sent && { [headers]: sent }) };
  };
}

/** How the program starts the command line, which makes a session at each start. */
export function commandReach(options: {
  /** The command line of this installation. */
  launcher: string;
  environment: string;
  expiresIn: string;
  /** The session has `homeport_query_records`. */
  queryRecords: boolean;
  /** Ids; without any, the only connection of each integration. */
  connections: readonly string[];
  /** The data folder, where it is not the usual one. */
  home: string | undefined;
}): Reach {
  const { connections, environment, expiresIn, home, launcher, queryRecords } = options;
  const words = ['agents', 'stdio', '--env', environment, '--expires-in', expiresIn];
  const more = queryRecords ? ['--query-records'] : [];
  const args = [...words, ...more, ...connections.flatMap((id) => ['--connection', id])];
  const own = home === undefined ? {} : { env: { HOMEPORT_HOME: home } };
  // A script needs a Node, and a program with a window may not find one.
  if (launcher.endsWith('.mjs')) return { command: process.execPath, args: [launcher, ...args], ...own };
  return { command: launcher, args, ...own };
}

/** The folder for settings of programs: each system has its own. */
function settingsFolder({ platform, home, env }: Places): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config');
}

/** Programs from Unix use `~/.config` on macOS too. */
function unixConfigFolder({ home, env }: Places): string {
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config');
}

/** The programs that `homeport agents add` knows, with the format of their files in November 2026. */
export const AGENT_PROGRAMS: readonly AgentProgram[] = [
  // https://code.claude.com/docs/en/mcp
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    files: ({ home, env }) => [join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json')],
    // https://code.claude.com/docs/en/skills
    skills: ({ home, env }) => join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'skills'),
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({ fixed: { type: 'http' }, fixedCommand: { type: 'stdio' } }),
    access: EVERY,
    next: 'Start Claude Code and type /mcp.',
    clientNames: ['claude-code'],
  },
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    files: (places) => [join(settingsFolder(places), 'Claude', 'claude_desktop_config.json')],
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({}),
    // Its file takes programs only; its connectors are called from another computer.
    access: ['command'],
    next: 'Quit Claude Desktop and start it again.',
    clientNames: ['claude-ai', 'claude desktop'],
  },
  // https://developers.openai.com/codex/mcp
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    files: ({ home, env }) => [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
    // https://developers.openai.com/codex/skills
    skills: ({ home }) => join(home, '.agents', 'skills'),
    path: () => ['mcp_servers', ENTRY_NAME],
    entry: entryOf({ headers: 'http_headers' }),
    access: EVERY,
    next: 'Run "codex mcp login homeport", then start Codex.',
    clientNames: ['codex'],
  },
  // https://cursor.com/docs/context/mcp
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    files: ({ home }) => [join(home, '.cursor', 'mcp.json')],
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({}),
    access: EVERY,
    installLink: (url) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${ENTRY_NAME}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url })).toString('base64'))}`,
    next: 'Open the settings of Cursor, Tools & MCP, and connect homeport.',
    clientNames: ['cursor'],
  },
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    files: (places) => [join(settingsFolder(places), 'Code', 'User', 'mcp.json')],
    path: () => ['servers', ENTRY_NAME],
    entry: entryOf({ fixed: { type: 'http' }, fixedCommand: { type: 'stdio' } }),
    access: EVERY,
    installLink: (url) =>
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: ENTRY_NAME, type: 'http', url }))}`,
    next: 'Run "MCP: List Servers" in VS Code and start homeport.',
    clientNames: ['visual studio code', 'vscode'],
  },
  // https://opencode.ai/docs/mcp-servers
  {
    id: 'opencode',
    name: 'opencode',
    format: 'json',
    files: (places) =>
      ['opencode.jsonc', 'opencode.json'].map((file) => join(unixConfigFolder(places), 'opencode', file)),
    // Version 2 has the servers one level deeper, and still reads files of version 1.
    path: (holds) => (isOldOpencode(holds('mcp')) ? ['mcp', ENTRY_NAME] : ['mcp', 'servers', ENTRY_NAME]),
    entry: (reach) =>
      'command' in reach
        ? {
            type: 'local',
            command: [reach.command, ...reach.args],
            ...(reach.env && { environment: reach.env }),
          }
        : entryOf({ fixed: { type: 'remote' } })(reach),
    access: EVERY,
    next: 'Start opencode; /mcps shows homeport and signs in.',
    clientNames: ['opencode'],
  },
  // https://geminicli.com/docs/tools/mcp-server
  {
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'json',
    files: ({ home }) => [join(home, '.gemini', 'settings.json')],
    // https://geminicli.com/docs/cli/using-agent-skills
    skills: ({ home }) => join(home, '.gemini', 'skills'),
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({ url: 'httpUrl' }),
    access: EVERY,
    next: 'Start Gemini CLI and type /mcp auth homeport.',
    clientNames: ['gemini-cli'],
  },
  // https://docs.devin.ai/desktop/cascade/mcp
  {
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({ url: 'serverUrl' }),
    access: EVERY,
    next: 'Press refresh in the MCP panel of Windsurf.',
    clientNames: ['windsurf'],
  },
  // https://docs.devin.ai/cli/extensibility/mcp/configuration
  {
    id: 'devin',
    name: 'Devin',
    format: 'json',
    files: (places) => [
      join(places.platform === 'win32' ? settingsFolder(places) : join(places.home, '.config'), 'devin', 'config.json'),
    ],
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({}),
    access: EVERY,
    next: 'Run "devin mcp login homeport", then start Devin.',
    clientNames: ['devin'],
  },
  // https://zed.dev/docs/ai/mcp
  {
    id: 'zed',
    name: 'Zed',
    format: 'json',
    files: (places) => {
      const linux = join(unixConfigFolder(places), 'zed');
      const mac = join(places.home, '.config', 'zed');
      const folders: Partial<Record<NodeJS.Platform, string>> = {
        darwin: mac,
        win32: join(settingsFolder(places), 'Zed'),
      };
      return [join(folders[places.platform] ?? linux, 'settings.json')];
    },
    path: () => ['context_servers', ENTRY_NAME],
    entry: entryOf({}),
    access: EVERY,
    next: 'Open the settings of Zed, AI, MCP Servers, and sign in to homeport.',
    clientNames: ['zed'],
  },
  // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    format: 'json',
    files: ({ home, env }) => [join(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'mcp-config.json')],
    path: () => ['mcpServers', ENTRY_NAME],
    entry: entryOf({ fixed: { type: 'http', tools: ['*'] }, fixedCommand: { type: 'local', tools: ['*'] } }),
    access: EVERY,
    next: 'Start Copilot CLI; /mcp show homeport signs in.',
    clientNames: ['copilot'],
  },
  // https://block.github.io/goose/docs/guides/config-files
  {
    id: 'goose',
    name: 'goose',
    format: 'yaml',
    files: (places) => [
      places.platform === 'win32'
        ? join(settingsFolder(places), 'Block', 'goose', 'config', 'config.yaml')
        : join(unixConfigFolder(places), 'goose', 'config.yaml'),
    ],
    path: () => ['extensions', ENTRY_NAME],
    entry: (reach) => {
      const common = { enabled: true, name: ENTRY_NAME, description: 'Accounts of this computer', timeout: 300 };
      if ('command' in reach)
        return { ...common, type: 'stdio', cmd: reach.command, args: reach.args, envs: reach.env ?? {} };
      return { ...common, type: 'streamable_http', uri: reach.url, headers: authorized(reach.token) ?? {} };
    },
    access: EVERY,
    next: 'Start a new goose session.',
    clientNames: ['goose'],
  },
];

/** Version 1 has the servers directly below `mcp`, each with its type. */
function isOldOpencode(mcp: unknown): boolean {
  if (typeof mcp !== 'object' || mcp === null || 'servers' in mcp) return false;
  return Object.values(mcp).some((one) => typeof one === 'object' && one !== null && 'type' in one);
}

/** A session belongs to the program whose file holds it, or whose name it gave itself. */
export function isSessionOf(
  { clientNames }: Pick<AgentProgram, 'clientNames'>,
  heldSessionId: string | undefined,
  { clientName, id }: { id: string; clientName: string | null | undefined },
): boolean {
  if (id === heldSessionId) return true;
  const name = clientName?.toLowerCase();
  return name !== undefined && clientNames.some((part) => name.includes(part));
}

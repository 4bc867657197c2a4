import { shellWord } from '../../lib/shell-word.ts';

/** The address and the key with which a client connects. */
export interface McpAddress {
  /** Address of the hub's MCP server. */
  url: string;
  /** Secret of its API key, or a placeholder. */
  secret: string;
  integrationKey: string;
  connectionId: string;
}

export interface Snippet {
  client: string;
  /** The file or place for it. */
  target: string;
  code: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Clients show the name, and some allow only letters, digits, `_` and `-`. */
const serverName = ({ integrationKey }: McpAddress): string => `homeport-${integrationKey.replace(/[^\w-]+/g, '-')}`;

const headersOf = ({ secret, integrationKey, connectionId }: McpAddress): Record<string, string> => ({
  Authorization: `Bearer ${secret}`,
  'Provider-Config-Key': integrationKey,
  'Connection-Id': connectionId,
});

/** The configurations that connect clients to the tools of one connection. */
export function mcpSnippets(address: McpAddress): Snippet[] {
  const { url } = address;
  const name = serverName(address);
  const headers = headersOf(address);
  return [
    {
      client: 'Any client',
      target: 'Its file with mcpServers',
      code: json({ mcpServers: { [name]: { type: 'http', url, headers } } }),
    },
    { client: 'Cursor', target: '.cursor/mcp.json', code: json({ mcpServers: { [name]: { url, headers } } }) },
    {
      client: 'VS Code',
      target: '.vscode/mcp.json',
      code: json({ servers: { [name]: { type: 'http', url, headers } } }),
    },
    { client: 'Claude Code', target: 'In a terminal', code: claudeCode(name, url, headers) },
    { client: 'Claude Desktop', target: 'claude_desktop_config.json', code: claudeDesktop(name, url, headers) },
  ];
}

function claudeCode(name: string, url: string, headers: Record<string, string>): string {
  const flags = Object.entries(headers).map(([header, value]) => `  --header ${shellWord(`${header}: ${value}`)}`);
  return [`claude mcp add --transport http ${name} ${url}`, ...flags].join(' \\\n');
}

/** Its file can only start programs, so the bridge `mcp-remote` speaks HTTP for it. Values are in `env`: some systems split arguments at spaces. */
function claudeDesktop(name: string, url: string, headers: Record<string, string>): string {
  const env: Record<string, string> = {};
  const args = ['-y', 'mcp-remote', url];
  for (const [header, value] of Object.entries(headers)) {
    const variable = header.toUpperCase().replaceAll('-', '_');
    env[variable] = value;
    args.push('--header', `${header}:\${${variable}}`);
  }
  return json({ mcpServers: { [name]: { command: 'npx', args, env } } });
}

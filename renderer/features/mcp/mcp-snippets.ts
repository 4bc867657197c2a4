/** Where a client connects to, and as whom. */
export interface McpAddress {
  /** Address of the hub's MCP server. */
  url: string;
  /** Secret of its API key, or what stands in for it. */
  secret: string;
  integrationKey: string;
  connectionId: string;
}

export interface Snippet {
  client: string;
  /** Where it goes. */
  target: string;
  code: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Clients show the name, and some take letters, digits, `_` and `-` only. */
const serverName = ({ integrationKey }: McpAddress): string => `homeport-${integrationKey.replace(/[^\w-]+/g, '-')}`;

const headersOf = ({ secret, integrationKey, connectionId }: McpAddress): Record<string, string> => ({
  Authorization: `Bearer ${secret}`,
  'Provider-Config-Key': integrationKey,
  'Connection-Id': connectionId,
});

/** One word of a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What to write where, so that a client finds the tools of one connection. */
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

/** Its file starts programs only, so the bridge `mcp-remote` speaks HTTP for it. Values stand in `env`: some systems break arguments at spaces. */
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

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { mcpSnippets } from './mcp-snippets.ts';

const ADDRESS = {
  url: 'http://127.0.0.1:3003/mcp',
  secret: 'secret-1',
  integrationKey: 'my tracker',
  connectionId: "o'hara $HOME",
};
const HEADERS = {
  Authorization: 'Bearer secret-1',
  'Provider-Config-Key': 'my tracker',
  'Connection-Id': "o'hara $HOME",
};
const codeFor = (client: string): string => mcpSnippets(ADDRESS).find((one) => one.client === client)?.code ?? '';

describe('mcpSnippets', () => {
  it.each([
    ['Any client', { mcpServers: { 'homeport-my-tracker': { type: 'http', url: ADDRESS.url, headers: HEADERS } } }],
    ['Cursor', { mcpServers: { 'homeport-my-tracker': { url: ADDRESS.url, headers: HEADERS } } }],
    ['VS Code', { servers: { 'homeport-my-tracker': { type: 'http', url: ADDRESS.url, headers: HEADERS } } }],
  ])('writes the file of %s with the address and the three headers', (client, file) => {
    expect(JSON.parse(codeFor(client))).toEqual(file);
  });

  it('writes a command that a shell passes on word by word', () => {
    const script = codeFor('Claude Code').replace(/^claude /, `"$0" -p 'JSON.stringify(process.argv.slice(1))' -- `);
    const words = JSON.parse(
      execFileSync('/bin/sh', ['-c', script, process.execPath], { encoding: 'utf8' }),
    ) as string[];

    expect(words.slice(0, 6)).toEqual(['mcp', 'add', '--transport', 'http', 'homeport-my-tracker', ADDRESS.url]);
    expect(words.slice(6)).toEqual(
      Object.entries(HEADERS).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    );
  });

  it('names each header of the bridge with the variable that holds it', () => {
    const file = JSON.parse(codeFor('Claude Desktop')) as {
      mcpServers: Record<string, { args: string[]; env: Record<string, string> }>;
    };
    const { args = [], env = {} } = file.mcpServers['homeport-my-tracker'] ?? {};
    const filled = args.map((word) => word.replace(/\$\{(\w+)\}/, (_, name: string) => env[name] ?? ''));

    expect(filled.slice(0, 3)).toEqual(['-y', 'mcp-remote', ADDRESS.url]);
    expect(filled.slice(3)).toEqual(
      Object.entries(HEADERS).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
    );
    expect(args.every((word) => !word.includes(' '))).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { ConfigProblem, type EntryPath, readEntry, withEntry, withoutEntry } from './config-entry.ts';

const SERVERS: EntryPath = ['mcpServers', 'homeport'];
const ENTRY = { url: 'http://127.0.0.1:3003/agents/mcp' };
const WITH_TOKEN = { ...ENTRY, headers: { Authorization: 'Bearer t' } };

/** Every line of `before` is still there, in this order. */
function expectLinesKept(before: string, after: string): void {
  const lines = after.split('\n');
  let at = 0;
  for (const line of before.split('\n').filter((one) => one.trim() !== '')) {
    at = lines.indexOf(line, at);
    expect(at, `lost: ${line}`).toBeGreaterThanOrEqual(0);
    at += 1;
  }
}

const blankLines = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.trim() === '');

describe('an entry in JSON', () => {
  const file = `{
    // my servers
    "mcpServers": {
        "docs": { "command": "x", "args": ["a",], } /* keep */
    },
    "big": 12345678901234567890
}
`;
  it('is added beside others, and every comment, comma and digit stays', () => {
    const added = withEntry(file, 'json', SERVERS, ENTRY);
    expectLinesKept(file.replace('"docs"', ''), added.replace('"docs"', ''));
    expect(added).toContain('\n        "homeport": {\n            "url"');
    expect(readEntry(added, 'json', SERVERS)).toEqual(ENTRY);
    expect(readEntry(withoutEntry(added, 'json', SERVERS), 'json', SERVERS)).toBeUndefined();
    expect(withoutEntry(added, 'json', SERVERS)).toBe(file);
  });

  it('starts a file, keeps tabs and Windows lines, and replaces the one before', () => {
    expect(withEntry('', 'json', SERVERS, ENTRY)).toBe(
      '{\n  "mcpServers": {\n    "homeport": {\n      "url": "http://127.0.0.1:3003/agents/mcp"\n    }\n  }\n}\n',
    );
    const windows = withEntry('\uFEFF{\r\n\t"a": 1\r\n}\r\n', 'json', SERVERS, ENTRY);
    expect(windows.startsWith('\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"homeport": {\r\n\t\t\t"url"')).toBe(true);
    const again = withEntry(withEntry(file, 'json', SERVERS, WITH_TOKEN), 'json', SERVERS, ENTRY);
    expect(again).not.toContain('Bearer');
  });

  it('leaves no line of spaces where it is replaced or removed, and every comment', () => {
    const entries = (...lines: string[]): string => `{\n  "mcpServers": {\n${lines.join('\n')}\n  }\n}\n`;
    const old = '    "homeport": { "url": "http://old" }';
    const files = [
      entries(old),
      entries('    // ours', old),
      entries(`${old} // ours`),
      entries(`${old},`, '    "docs": {}'),
      entries('    "docs": {}, // keep', old),
      entries(`${old},`),
      entries(old).replaceAll('\n', '\r\n'),
    ];
    for (const before of files) {
      const after = withEntry(before, 'json', SERVERS, ENTRY);
      expect(blankLines(after)).toEqual([]);
      expect(after.match(/\/\/ (?:ours|keep)/g)).toEqual(before.match(/\/\/ (?:ours|keep)/g));
      expect(readEntry(after, 'json', SERVERS)).toEqual(ENTRY);
    }
    for (const before of [entries(old), entries('    // ours', old)]) {
      const removed = withoutEntry(before, 'json', SERVERS);
      const again = withEntry(removed, 'json', SERVERS, ENTRY);
      for (const text of [removed, again]) expect(blankLines(text)).toEqual([]);
    }
  });

  it('is refused with the line where the file is wrong', () => {
    expect(() => withEntry('{\n "a": ,\n}', 'json', SERVERS, ENTRY)).toThrow(/line 2/);
    expect(() => withEntry('[]', 'json', SERVERS, ENTRY)).toThrow(ConfigProblem);
    expect(() => withEntry('{"mcpServers": 1}', 'json', SERVERS, ENTRY)).toThrow(ConfigProblem);
  });
});

describe('an entry in TOML', () => {
  const path: EntryPath = ['mcp_servers', 'homeport'];
  const entry = { url: ENTRY.url, http_headers: { Authorization: 'Bearer t' } };
  const file = `# mine
model = "gpt-5"   # best

[mcp_servers.docs]
url = "https://docs.test/mcp" # keep

[projects."/home/me/a b"]
trust_level = "trusted"
`;
  it('is a table of its own at the end, and goes without a trace', () => {
    const added = withEntry(file, 'toml', path, entry);
    expect(added).toBe(
      `${file}\n[mcp_servers.homeport]\nurl = "http://127.0.0.1:3003/agents/mcp"\nhttp_headers = { Authorization = "Bearer t" }\n`,
    );
    expect(readEntry(added, 'toml', path)).toEqual(entry);
    expect(withoutEntry(added, 'toml', path).trimEnd()).toBe(file.trimEnd());
    expect(withEntry(added, 'toml', path, { url: 'http://other' }).match(/\[mcp_servers\.homeport\]/g)).toHaveLength(1);
  });

  it.each([
    ['an inline table', 'mcp_servers = { docs = { url = "x" } } # one\na = 1\n'],
    ['dotted names', 'mcp_servers.docs.url = "x"\n[other]\nb = 2 # c\n'],
    [
      'tables below the entry',
      '[mcp_servers.homeport]\nurl = "old"\n[mcp_servers.homeport.oauth]\nclient_id = "x"\n[z]\nb = 1\n',
    ],
    ['no text', ''],
    ['Windows lines', 'a = 1\r\n'],
  ])('is added to a file with %s', (_, text) => {
    const added = withEntry(text, 'toml', path, entry);
    expect(readEntry(added, 'toml', path)).toEqual(entry);
    expect(readEntry(withoutEntry(added, 'toml', path), 'toml', path)).toBeUndefined();
    if (text.includes('\r')) expect(added.match(/(?<!\r)\n/)).toBeNull();
  });

  it('is refused where the file is wrong', () => {
    expect(() => withEntry('a = = 1', 'toml', path, entry)).toThrow(/not TOML/);
  });
});

describe('an entry in YAML', () => {
  const path: EntryPath = ['extensions', 'homeport'];
  const entry = { enabled: true, type: 'streamable_http', uri: ENTRY.url, headers: {} };
  const file = `# mine
GOOSE_MODEL: 'a-model'   # quoted
long: this is a very long text that a writer of YAML would fold into several lines if it was asked to write it again
extensions:
    # built in
    developer:
        enabled: true   # yes
    memory: {enabled: false}
last: "x"
`;
  it('is added as lines, and all other lines stay as they are', () => {
    const added = withEntry(file, 'yaml', path, entry);
    expectLinesKept(file, added);
    expect(readEntry(added, 'yaml', path)).toEqual(entry);
    expect(withoutEntry(added, 'yaml', path)).toBe(file);
  });

  it.each([
    ['no extensions', '# mine\na: 1\n'],
    ['an empty value', 'a: 1\nextensions:\n'],
    ['an object in braces', 'extensions: {developer: {enabled: true}}\n'],
    ['no text', ''],
    ['comments only', '# nothing here\n'],
  ])('is added to a file with %s', (_, text) => {
    const added = withEntry(text, 'yaml', path, entry);
    expect(readEntry(added, 'yaml', path)).toEqual(entry);
    expect(added).toContain(text.match(/#.*/)?.[0] ?? '');
    expect(readEntry(withoutEntry(added, 'yaml', path), 'yaml', path)).toBeUndefined();
  });

  it('is refused where the file is wrong', () => {
    expect(() => withEntry('a: [1', 'yaml', path, entry)).toThrow(/not YAML/);
    expect(() => withEntry('- a\n- b\n', 'yaml', path, entry)).toThrow(ConfigProblem);
  });
});

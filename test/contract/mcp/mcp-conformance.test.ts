// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { action } from '../agents/agent-fixture.ts';
import { ApiCaller } from '../http/api-caller.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const INTEGRATION = 'practice';

/** The official scenarios for a server (revisions 2025-06-18 and 2025-11-25) that apply to the hub. */
const APPLICABLE = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-elicitation',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

const ONLY_JSON = 'a function returns JSON, which becomes text and structuredContent';
const ONLY_TOOLS = 'the hub declares tools only: it has neither resources nor prompts, completion nor logging';
const OWN_QUESTION = 'the question is that of the consent: a function cannot ask with a form of its own';
const NO_REPLAY = 'no stream is kept that a client could take up again';
const IN_PLACE = 'the compiler writes each schema in place, so that the schema of a tool has no $defs and no $schema';
const NOT_WHILE_RUNNING = 'a function sends nothing to the client before its result';

const NOT_APPLICABLE: Record<string, string> = {
  'json-schema-2020-12': IN_PLACE,
  'tools-call-image': ONLY_JSON,
  'tools-call-audio': ONLY_JSON,
  'tools-call-embedded-resource': ONLY_JSON,
  'tools-call-mixed-content': ONLY_JSON,
  'tools-call-with-logging': NOT_WHILE_RUNNING,
  'tools-call-with-progress': NOT_WHILE_RUNNING,
  'tools-call-sampling': NOT_WHILE_RUNNING,
  'elicitation-sep1034-defaults': OWN_QUESTION,
  'elicitation-sep1330-enums': OWN_QUESTION,
  'server-sse-polling': NO_REPLAY,
  'logging-set-level': ONLY_TOOLS,
  'completion-complete': ONLY_TOOLS,
  'resources-list': ONLY_TOOLS,
  'resources-read-text': ONLY_TOOLS,
  'resources-read-binary': ONLY_TOOLS,
  'resources-templates-read': ONLY_TOOLS,
  'resources-subscribe': ONLY_TOOLS,
  'resources-unsubscribe': ONLY_TOOLS,
  'prompts-list': ONLY_TOOLS,
  'prompts-get-simple': ONLY_TOOLS,
  'prompts-get-with-args': ONLY_TOOLS,
  'prompts-get-embedded-resource': ONLY_TOOLS,
  'prompts-get-with-image': ONLY_TOOLS,
};

const FUNCTIONS: Record<string, string> = {
  test_simple_text: action({
    endpoint: "{ method: 'GET', path: '/conformance/text' }",
    output: 'z.string()',
    body: "return 'This is a simple text response for testing.';",
  }),
  test_error_handling: action({
    endpoint: "{ method: 'GET', path: '/conformance/error' }",
    body: "throw new nango.ActionError({ message: 'This tool intentionally returns an error for testing' });",
  }),
  // A function that writes: the consent asks in the client.
  test_elicitation: action({
    endpoint: "{ method: 'POST', path: '/conformance/elicitation' }",
    input: 'z.object({ message: z.string() })',
  }),
};

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

interface Address {
  name: string;
  url: string;
  headers: Record<string, string>;
  /** Before the names of tools. */
  prefix: string;
}

let hub: InProcessServer;
let folder: string;
const addresses: Address[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-conformance-'));
  hub = await startInProcess({ hasExamples: false });
  const api = new ApiCaller(hub);
  await api.send('POST /integrations', { body: { provider: 'practice', unique_key: INTEGRATION } });
  await importConnection(hub, { provider_config_key: INTEGRATION, connection_id: 'me' });
  const names = Object.keys(FUNCTIONS);
  for (const name of names)
    await saveFunction(hub.workspace, `${INTEGRATION}/actions/${name}.ts`, FUNCTIONS[name] ?? '');
  await waitFor(
    async () => {
      const { bytes } = await api.send('GET /scripts/config');
      return names.every((name) => bytes.toString().includes(`"name":"${name}"`));
    },
    { what: 'the functions' },
  );
  const { body } = await api.send('POST /sessions', {
    body: {
      tenant: { connections: { pinned: [{ integration_id: INTEGRATION, connection_id: 'me' }] } },
      pinned_tools: { [INTEGRATION]: names },
    },
  });
  const session = (body as { data: { mcp_url: string; session_token: string } }).data;
  addresses.push(
    {
      name: '/mcp',
      url: `${hub.url}/mcp`,
      headers: {
        authorization: `Bearer ${hub.secretKey}`,
        'provider-config-key': INTEGRATION,
        'connection-id': 'me',
      },
      prefix: '',
    },
    {
      name: '/session/:sessionId/mcp',
      url: session.mcp_url,
      headers: { authorization: `Bearer ${session.session_token}` },
      prefix: `${INTEGRATION}__`,
    },
  );
});

afterAll(async () => {
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the official conformance scenarios', () => {
  it('are each run, or left out for a reason', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'list', '--server']);

    const listed = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);

    expect(listed.toSorted()).toEqual([...APPLICABLE, ...Object.keys(NOT_APPLICABLE)].toSorted());
  });

  // Both addresses have the same protocol and differ in the right to them.
  const names = named(['/mcp', '/session/:sessionId/mcp']);
  nightlyEach(names, 2)('that apply pass at %s', async (name) => {
    const address = addresses.find((one) => one.name === name) as Address;
    const door = await openDoor(address);
    try {
      for (const scenario of APPLICABLE) expect(await failuresOf(scenario, door.url), scenario).toEqual([]);
    } finally {
      await door.close();
    }
  });
});

/** Runs a scenario; returns the checks that did not succeed. */
async function failuresOf(scenario: string, url: string): Promise<Check[]> {
  const output = await mkdtemp(join(folder, 'run-'));
  const args = [PROGRAM, 'server', '--url', url, '--scenario', scenario, '--output-dir', output];
  // It exits with 1 for a check that failed, which the file says too.
  await promisify(execFile)(process.execPath, args).catch((error: { code?: unknown }) => {
    if (error.code !== 1) throw error;
  });
  const [file] = (await readdir(output, { recursive: true })).filter((one) => one.endsWith('checks.json'));
  if (file === undefined) throw new Error(`the scenario ${scenario} wrote no result`);
  const checks = JSON.parse(await readFile(join(output, file), 'utf8')) as Check[];
  expect(checks.length, `checks of ${scenario}`).toBeGreaterThan(0);
  return checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
}

/**
 * The program sends no headers of its own, and expects tools by fixed names: this passes its requests on with the
 * token, and with the names that the address has.
 */
async function openDoor({ headers, prefix, url }: Address): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(url);
  const server: Server = createServer((from, to) => {
    const own = from.headers.host;
    const isOwn = own === `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { 'content-length': _, ...sent } = from.headers;
    if (isOwn) sent.host = target.host;
    if (sent.origin !== undefined && new URL(sent.origin).host === own && isOwn) sent.origin = target.origin;
    const onward = request(target, { method: from.method, headers: { ...sent, ...headers } }, (answer) => {
      const { 'content-length': __, ...received } = answer.headers;
      to.writeHead(answer.statusCode ?? 502, received);
      if (prefix === '') answer.pipe(to);
      else {
        answer.setEncoding('utf8');
        answer.on('data', (text: string) => to.write(text.replaceAll(`"name":"${prefix}`, '"name":"')));
        answer.on('end', () => to.end());
      }
    });
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    let body = '';
    from.setEncoding('utf8');
    from.on('data', (text: string) => (body += text));
    from.on('end', () => {
      const isCall = body.includes('"method":"tools/call"');
      onward.end(isCall ? body.replace('"name":"', `"name":"${prefix}`) : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

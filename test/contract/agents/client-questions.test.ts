import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { QuestionClock } from '../../support/question-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type CallResult, choose, connectAsking, type Person, REVISIONS, type Revision } from '../mcp/mcp-clients.ts';
import { decideNext, waitForQuestion } from './agent-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';
import { ADDRESSES, type Address, type Reach, reachAll } from './mcp-addresses.ts';

const clock = new QuestionClock();
let hub: AgentFixture;
let dashboard: DashboardClient;
let reach: Record<Address, Reach>;
beforeAll(async () => {
  hub = await startAgentFixture({ clock });
  dashboard = await hub.signIn();
  reach = await reachAll(hub);
});
afterAll(() => hub?.stop());

const BOTH = 'application/json, text/event-stream';
const NEWEST = '2026-07-28';
const DENIED = 'The user has denied the call';
const EXPIRED = 'did not answer within 55 s';
const textOf = ({ content }: CallResult): string => content.map(({ text }) => text).join();
const waiting = async () => (await dashboard.call('GET /api/v1/mcp/approvals')).data;
/** Calls that may run, counted by the tests. */
let allowed = 0;

/** The call by the names that the address has for the tool. */
function noteCall(address: Address, text: string): { name: string; arguments: Record<string, unknown> } {
  if (address === '/mcp') return { name: 'write-note', arguments: { text } };
  return { name: 'nango_execute', arguments: { tool: 'notes__write-note', input: { text } } };
}

async function post(address: Address, body: object, more: Record<string, string> = {}): Promise<Response> {
  const { headers, url } = reach[address];
  return await fetch(url, {
    method: 'POST',
    headers: { accept: BOTH, 'content-type': 'application/json', ...headers, ...more },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });
}

/** A client whose person answers so, and its call. */
async function ask(address: Address, revision: Revision, person: Person, text = crypto.randomUUID()) {
  const client = await connectAsking(revision, { ...reach[address], person });
  onTestFinished(() => client.close());
  const { arguments: input, name } = noteCall(address, text);
  return { client, call: client.call(name, input), ran: JSON.stringify({ text }, null, 2) };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientInfo': { name: 'asking-client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

interface Repeatable {
  resultType?: string;
  requestState?: string;
  content: CallResult['content'];
}

/** A call in revision 2026-07-28, also as the repeat that has the answer. */
async function callNewest(address: Address, text: string, answered: object = {}): Promise<Repeatable> {
  const params = { ...noteCall(address, text), ...answered, _meta: META };
  const headers = { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/call', 'mcp-name': params.name };
  const body = await (await post(address, { id: 1, method: 'tools/call', params }, headers)).text();
  const json = body.startsWith('{') ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '');
  return (JSON.parse(json) as { result: Repeatable }).result;
}

const answerWith = (requestState: string | undefined, decision: unknown) => ({
  requestState,
  inputResponses: { decision },
});
const ALLOW = { action: 'accept', content: { decision: 'allow-once' } };

/** Answers that no form of the question gives. */
const MISFITS: Array<[string, unknown]> = [
  ['no choice', { action: 'accept', content: {} }],
  ['no content', { action: 'accept' }],
  ['a choice that was not offered', { action: 'accept', content: { decision: 'deny-always' } }],
  ['other words', { action: 'accept', content: { decision: 'yes' } }],
  ['a list', { action: 'accept', content: { decision: ['allow-once'] } }],
  ['another member', { action: 'accept', content: { answer: 'allow-once' } }],
  ['no action', { content: { decision: 'allow-once' } }],
  ['another action', { action: 'allow', content: { decision: 'allow-once' } }],
];

const TABLE = ADDRESSES.flatMap((address) => REVISIONS.map((revision) => [address, revision] as const));

describe.each(TABLE)('a question to a client at %s in revision %s', (address, revision) => {
  const isNewest = revision === NEWEST;

  it('that is accepted lets the call run', async () => {
    const { call, ran } = await ask(address, revision, choose('Allow once'));
    expect(textOf(await call)).toBe(ran);
    allowed += 1;
  });

  it.each(['decline', 'cancel'] as const)('that gets %s refuses the call', async (action) => {
    const { call } = await ask(address, revision, async () => ({ action }));
    const result = await call;
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(DENIED)]);
    expect(await waiting()).toEqual([]);
  });

  it('ends with a client that disconnects, and then nothing runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { call, client } = await ask(address, revision, async (shown, signal) => {
      resolve();
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(shown.message))));
    });
    call.catch(() => undefined);
    await promise;
    await client.close();

    // Since 2026-07-28 no connection is open while a person thinks: the question waits for the repeat of the call.
    if (isNewest) clock.expire();
    await waitFor(async () => (await waiting()).length === 0, { what: 'the end of the question' });
  });

  it('that nobody answers in time is a no, and a later answer changes nothing', async () => {
    const { promise: isLate, resolve: late } = Promise.withResolvers<void>();
    let wasClosed = false;
    const { call } = await ask(address, revision, async (shown, signal) => {
      signal.addEventListener('abort', () => {
        wasClosed = true;
      });
      await isLate;
      if (!isNewest) expect((await post(address, { id: shown.id, result: ALLOW })).status).toBe(202);
      return await choose('Allow once')(shown, signal);
    });
    await waitForQuestion(dashboard);
    clock.expire();
    if (isNewest) late();
    expect(textOf(await call)).toContain(EXPIRED);
    late();
    expect(await waiting()).toEqual([]);
    if (!isNewest) await waitFor(() => wasClosed, { what: 'the end of the question in the client' });
  });

  it('stays with the person at the window when the client cannot show it', async () => {
    const { call, ran } = await ask(address, revision, async () => {
      throw new Error('no form');
    });
    // Since 2026-07-28 such a client does not repeat the call.
    if (isNewest) {
      await expect(call).rejects.toThrow();
      clock.expire();
      return;
    }
    await decideNext(dashboard, 'allow-once');
    expect(textOf(await call)).toBe(ran);
    allowed += 1;
  });

  it('that is answered twice takes the first answer', async () => {
    const text = crypto.randomUUID();
    if (isNewest) {
      const { requestState } = await callNewest(address, text);
      const both = await Promise.all([
        callNewest(address, text, answerWith(requestState, ALLOW)),
        callNewest(address, text, answerWith(requestState, ALLOW)),
      ]);
      expect(both.filter((one) => one.requestState === undefined)).toHaveLength(1);
      allowed += 1;
      clock.expire();
      return;
    }
    const deny = await ask(address, revision, async (shown, signal) => {
      await post(address, { id: shown.id, result: { action: 'decline' } });
      return await choose('Allow once')(shown, signal);
    });
    expect(textOf(await deny.call)).toContain(DENIED);
    const allow = await ask(address, revision, async (shown) => {
      await post(address, { id: shown.id, result: ALLOW });
      return { action: 'decline' };
    });
    expect(textOf(await allow.call)).toBe(allow.ran);
    allowed += 1;
  });

  it.each(MISFITS)('that is answered with %s is a no', async (_what, answer) => {
    if (isNewest) {
      const text = crypto.randomUUID();
      const { requestState } = await callNewest(address, text);
      const result = await callNewest(address, text, answerWith(requestState, answer));
      expect(result.requestState === undefined ? textOf(result) : 'asked again').toMatch(/denied the call|asked again/);
      clock.expire();
      return;
    }
    const { call } = await ask(address, revision, async (shown, signal) => {
      await post(address, { id: shown.id, result: answer });
      return await choose('Allow once')(shown, signal);
    });
    expect(textOf(await call)).toContain(DENIED);
  });
});

it('what ran is what was allowed', async () => {
  const countRuns = async (): Promise<number> => {
    const { data } = await dashboard.call('GET /api/v1/mcp/calls');
    return data.filter(({ state, tool }) => tool === 'write-note' && state === 'success').length;
  };
  await waitFor(async () => (await countRuns()) >= allowed, { what: 'the calls in the log' });
  expect(await countRuns()).toBe(allowed);
});

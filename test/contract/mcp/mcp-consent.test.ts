import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type AskingClient,
  type CallResult,
  choose,
  connectAsking,
  type Person,
  REVISIONS,
  type Shown,
} from './mcp-clients.ts';
import { type McpFixture, startMcpFixture } from './mcp-fixture.ts';

const NOTE = { text: 'buy milk' };
const RAN = JSON.stringify(NOTE, null, 2);

let hub: McpFixture;
beforeAll(async () => {
  hub = await startMcpFixture();
});
afterAll(() => hub?.stop());

const textOf = ({ content }: CallResult): string => content.map(({ text }) => text).join();
const waiting = async () => (await hub.dashboard.call('GET /api/v1/mcp/approvals')).data;
const decline: Person = async () => ({ action: 'decline' });

/** A person whose next answers the test gives, and what they were shown. */
function createPerson() {
  const shown: Shown[] = [];
  const answers: Person[] = [];
  const person: Person = async (question, signal) => {
    shown.push(question);
    const answer = answers.shift();
    if (!answer) throw new Error('a question that the test did not expect');
    return await answer(question, signal);
  };
  return { person, shown, answers };
}

const CHANGING = `import { createAction } from 'homeport';
import * as z from 'zod';
export default createAction({
  description: 'TEXT',
  endpoint: { method: 'METHOD', path: '/practice/NAME' },
  input: z.void(),
  output: z.string(),
  exec: async () => 'TEXT',
});
`;
async function saveChanging(name: string, method: string, text: string): Promise<void> {
  const source = CHANGING.replace('METHOD', method).replaceAll('TEXT', text).replaceAll('NAME', name);
  await saveFunction(hub.server.workspace, `practice/actions/${name}.ts`, source);
  await waitFor(async () => (await hub.api.send('GET /scripts/config')).bytes.toString().includes(text), {
    what: text,
  });
}

describe.each(REVISIONS)('a client of revision %s that shows questions', (revision) => {
  async function connect(person?: Person): Promise<AskingClient & { keyName: string }> {
    const keyName = `Client ${crypto.randomUUID()}`;
    const { secret } = await hub.createKey(keyName);
    const headers = {
      authorization: `Bearer ${secret}`,
      'provider-config-key': 'practice',
      'connection-id': 'me',
    };
    const client = await connectAsking(revision, {
      url: `${hub.server.url}/mcp`,
      headers,
      ...(person ? { person } : {}),
    });
    onTestFinished(() => client.close());
    return { ...client, keyName };
  }

  it('is asked with the tool, the connection and the arguments, and the call runs once it may', async () => {
    const { answers, person, shown } = createPerson();
    const client = await connect(person);
    expect(client.revision()).toBe(revision);
    answers.push(choose('Allow once'), choose('Deny'));

    const result = await client.call('write-note', NOTE);

    expect(textOf(result)).toBe(RAN);
    expect(shown[0]?.message).toContain(`may "${client.keyName}" run "write-note"?`);
    expect(shown[0]?.message).toContain('It writes with the connection "me" of "practice".');
    expect(shown[0]?.message).toContain(RAN);
    expect(textOf(await client.call('write-note', NOTE))).toContain('The user has denied the call');
    expect(await waiting()).toEqual([]);
    const { data } = await hub.dashboard.call('GET /api/v1/audit', { query: { actions: 'approval_answered' } });
    expect(data.map(({ subject }) => subject)).toContain(`allow-once: write-note for ${client.keyName}, in the client`);
  });

  it.each([
    ['declines', decline],
    ['closes the question', (async () => ({ action: 'cancel' })) as Person],
  ])('refuses the call when its person %s', async (_, answer) => {
    const { answers, person } = createPerson();
    const client = await connect(person);
    answers.push(answer);

    const result = await client.call('delete-note', { id: '1' });

    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('The user has denied the call');
    expect(await waiting()).toEqual([]);
  });

  it('is not asked again for the session, and nothing is stored', async () => {
    const { answers, person, shown } = createPerson();
    const client = await connect(person);
    answers.push(choose('Allow for this session'));

    await client.call('write-note', NOTE);
    expect(textOf(await client.call('write-note', NOTE))).toBe(RAN);

    expect(shown).toHaveLength(1);
    const { data } = await hub.dashboard.call('GET /api/v1/mcp/decisions');
    expect(data.filter(({ clientName }) => clientName === client.keyName)).toEqual([]);
  });

  it('is asked again for an allowed tool that changed, and the question says so', async () => {
    const { answers, person, shown } = createPerson();
    const client = await connect(person);
    const name = `changing-${revision}`;
    await saveChanging(name, 'POST', `${name} one`);
    answers.push(choose('Always allow'), choose('Always allow'), choose('Deny'));
    await client.call(name);
    expect(textOf(await client.call(name))).toContain('one');

    await saveChanging(name, 'POST', `${name} two`);
    expect(textOf(await client.call(name))).toContain('two');
    await saveChanging(name, 'DELETE', `${name} three`);
    expect(textOf(await client.call(name))).toContain('The user has denied the call');

    expect(shown.map(({ message }) => /You allowed.*|Its code.*/.exec(message)?.[0])).toEqual([
      undefined,
      'Its code has changed since you allowed it.',
      'You allowed it when it wrote. Now it deletes.',
    ]);
  });

  it.each([
    ['allow-once', RAN],
    ['deny', 'The user has denied the call'],
  ])('sees the answer of the window that came first: %s', async (decision, text) => {
    const { answers, person } = createPerson();
    const client = await connect(person);
    const { promise: isAnswered, resolve: answered } = Promise.withResolvers<void>();
    let wasClosed = false;
    answers.push(async (shown, signal) => {
      signal.addEventListener('abort', () => {
        wasClosed = true;
      });
      await isAnswered;
      return await choose('Allow once')(shown, signal);
    });

    const call = client.call('write-note', NOTE);
    await hub.decide(decision);
    // A client of 2025 gets its result at once; a later one when its person has answered too.
    if (revision === '2026-07-28') answered();

    expect(textOf(await call)).toContain(text);
    if (revision !== '2026-07-28') await waitFor(() => wasClosed, { what: 'the end of the question in the client' });
    answered();
  });

  it('gets a no when nobody answers in time, which says where to answer', async () => {
    const { answers, person } = createPerson();
    const client = await connect(person);
    const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
    answers.push(async (shown, signal) => {
      await isOver;
      return await choose('Allow once')(shown, signal);
    });
    const call = client.call('write-note', NOTE);
    await hub.question();

    hub.expire();
    over();

    expect(textOf(await call)).toContain('did not answer within 55 s');
    expect(textOf(await call)).toContain('homeport mcp allow write-note');
  });

  it('leaves the question to the window when its person is not asked', async () => {
    const client = await connect();
    const call = client.call('write-note', NOTE);

    await hub.decide('allow-once');

    expect(textOf(await call)).toBe(RAN);
  });
});

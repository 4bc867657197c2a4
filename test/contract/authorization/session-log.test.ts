import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SqlValue } from '../../../server/platform/database/database.ts';
import { lookInto } from '../../support/look-into.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AuthModesHub, onEventSource } from './auth-modes-hub.ts';

interface LoggedOperation {
  seq: number;
  state: string;
  integration: string | null;
  message: string;
  error: { type: string; message: string } | null;
}

interface LoggedLine {
  message: string;
  details: string | null;
}

const MESSAGES = 'SELECT message, details FROM log_messages WHERE id >> 20 = ? ORDER BY id';

const CHECK = onEventSource(
  'validate-connection',
  `
    const { credentials } = await nango.getConnection();
    if (credentials.apiKey.startsWith('refused')) throw new nango.ActionError({ message: 'no: ' + credentials.apiKey });`,
);
const KEY = '/api-auth/api-key/own-key';
const CC = '/oauth2/auth/own-cc';
const TENANT = 'params[tenant]=acme';

let hub: AuthModesHub;
let number = 0;
/** Identifies the session of a test in the log. */
let user: string;
let token: string;

beforeAll(async () => {
  hub = await AuthModesHub.start({ files: { 'own-key/on-events/check.ts': CHECK } });
  hub.provider.on('GET /check-key', ({ headers }) => ({ status: headers['x-own-key'] === 'bad-key' ? 401 : 200 }));
});
afterAll(() => hub?.stop());
beforeEach(async () => {
  number += 1;
  user = `user-${number}`;
  token = await hub.openSession({ end_user: { id: user } });
});

function all<T>(sql: string, values: SqlValue[]): Promise<T[]> {
  return lookInto(hub.server.home, ({ reader }) => reader.all<T>(sql, values));
}

/** The operations of the test's session from the first to the last, once they are in the expected states. */
async function operationsIn(...states: string[]): Promise<LoggedOperation[]> {
  const rows = await waitFor(
    async () => {
      const found = await all<Omit<LoggedOperation, 'error'> & { error: string | null }>(
        "SELECT seq, state, integration_key AS integration, message, error FROM log_operations WHERE end_user_id = ? AND action = 'create_connection' ORDER BY seq",
        [user],
      );
      return found.map((row) => row.state).join() === states.join() && found;
    },
    { what: `the states ${states.join()}` },
  );
  return rows.map((row) => ({ ...row, error: row.error ? JSON.parse(row.error) : null }));
}

/** The only operation of the test's session, once it is in the expected state. */
async function operationIn(state: string): Promise<LoggedOperation> {
  const [operation] = await operationsIn(state);
  return operation as LoggedOperation;
}

/** The messages of an operation, once one of them contains a text. */
async function linesOf({ seq }: LoggedOperation, awaited: string): Promise<LoggedLine[]> {
  return waitFor(
    async () => {
      const lines = await all<LoggedLine>(MESSAGES, [seq]);
      return lines.some(({ message }) => message.includes(awaited)) && lines;
    },
    { what: `the line ${awaited}` },
  );
}

describe('the operation of a session', () => {
  it('waits, then succeeds with the connection', async () => {
    await operationIn('waiting');
    const id = await hub.connect(KEY, { token, body: { apiKey: 'good-key' } });

    expect(await operationIn('success')).toMatchObject({ message: `Connection ${id} was created`, error: null });
  });

  it('fails with the reason as soon as the attempt fails, while the session goes on', async () => {
    await hub.refusal(KEY, { token, body: { apiKey: 'bad-key' } });

    const operation = await operationIn('failed');
    expect(operation.error).toMatchObject({ type: 'connection_test_failed' });
    await linesOf(operation, 'The provider refused the credentials (status 401)');
  });

  it('fails also when no attempt came to the provider', async () => {
    await hub.refusal('/api-auth/basic/own-key', { token, body: { username: 'u', password: 'p' } });

    const operation = await operationIn('failed');
    expect(operation.error).toMatchObject({ type: 'invalid_auth_mode' });
    await linesOf(operation, 'Own API key connects by API_KEY');
  });

  it('is followed by one for each further attempt', async () => {
    await hub.refusal(KEY, { token, body: { apiKey: 'bad-key' } });
    await hub.refusal(CC, { token, body: { client_id: 'i' }, query: TENANT });
    await hub.connect(KEY, { token, body: { apiKey: 'good-key' } });
    await hub.connect('/auth/unauthenticated/own-none', { token });
    await hub.api.send('DELETE /connect/session', { headers: { authorization: `Bearer ${token}` } });

    const [first, second, third] = await operationsIn('failed', 'failed', 'success', 'success');
    expect(first?.error).toMatchObject({ type: 'connection_test_failed' });
    expect(second?.error).toMatchObject({ type: 'missing_client_secret' });
    expect(third?.error).toBeNull();
  });

  it('names the integration when the session allows only one', async () => {
    await hub.openSession({ end_user: { id: user }, allowed_integrations: ['own-key'] });

    const both = await operationsIn('waiting', 'waiting');
    expect(both.map(({ integration }) => integration)).toEqual([null, 'own-key']);
  });

  it('is cancelled without an attempt', async () => {
    await hub.api.send('DELETE /connect/session', { headers: { authorization: `Bearer ${token}` } });

    expect(await operationIn('cancelled')).toMatchObject({ message: expect.stringContaining('closed') });
  });

  it('shows the requests for tokens without their contents', async () => {
    hub.provider.on('POST /cc/acme/token', { status: 400, body: { error: 'invalid_scope' } });
    await hub.refusal(CC, { token, body: { client_id: 'client-1', client_secret: 'secret-1' }, query: TENANT });

    const lines = await linesOf(await operationIn('failed'), '/cc/acme/token answered 400');
    expect(JSON.stringify(lines)).not.toContain('secret-1');
  });

  it('does not repeat credentials from the message of a function', async () => {
    const apiKey = 'refused-canary-5c5c';
    const refusal = await hub.refusal(KEY, { token, body: { apiKey } });

    expect(refusal.message).toBe(`no: ${apiKey}`);
    const { error } = await operationIn('failed');
    expect(error).toMatchObject({ type: 'connection_validation_failed' });
    expect(error?.message).not.toContain(apiKey);
    const stored = await all<LoggedLine>('SELECT message, details FROM log_messages WHERE message || details LIKE ?', [
      `%${apiKey}%`,
    ]);
    expect(stored).toEqual([]);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller, type Call } from './api-caller.ts';
import { startWithProviders } from './workspace-providers.ts';

const GOOD = `own:
  display_name: Own
  auth_mode: NONE
  proxy: { base_url: "http://127.0.0.1:9" }
`;
const BAD = `${GOOD}  token_expiration_buffer: soon
never-good:
  display_name: Never
  auth_mode: NOTHING
`;

let server: InProcessServer;
let api: ApiCaller;

/** The integration was created while its entry was valid; since the restart the entry is invalid. */
beforeAll(async () => {
  server = await startWithProviders(GOOD);
  api = new ApiCaller(server);
  expect((await api.send('POST /integrations', { body: { provider: 'own', unique_key: 'mine' } })).status).toBe(200);
  await restartWith(BAD);
});
afterAll(() => server?.stop());

async function restartWith(providers: string): Promise<void> {
  await writeFile(join(server.workspace, 'providers.yaml'), providers);
  await server.restart();
}

async function message(route: string, call: Call = {}): Promise<string> {
  const { status, body } = await api.send(route, call);
  expect(status).toBeGreaterThanOrEqual(400);
  const { error } = body as { error: { message?: string; errors?: Array<{ message: string }> } };
  return error.message ?? error.errors?.[0]?.message ?? '';
}

const OWN = /providers\.yaml, line 5, token_expiration_buffer: Invalid input/;
const NEVER = /providers\.yaml, line 8, auth_mode: /;

describe('a provider that a faulty entry hides', () => {
  it('is explained with file, line and reason', async () => {
    const connection = { connection_id: 'c', credentials: { type: 'NONE' } };

    expect(await message('POST /connections', { body: { provider_config_key: 'mine', ...connection } })).toMatch(OWN);
    expect(await message('POST /connections', { body: { provider_config_key: 'never-good', ...connection } })).toMatch(
      NEVER,
    );
    expect(
      await message('POST /connect/sessions', { body: { allowed_integrations: ['mine'], end_user: { id: 'u' } } }),
    ).toMatch(OWN);
    expect(await message('POST /integrations', { body: { provider: 'never-good', unique_key: 'n' } })).toMatch(NEVER);
    expect(await message('GET /integrations/mine')).toMatch(OWN);
    expect(await message('GET /providers/own')).toMatch(OWN);
    expect(await message('POST /connection', { body: { provider_config_key: 'mine', connection_id: 'c' } })).toMatch(
      OWN,
    );
  });

  it('stands in the list with the reason, as do the others', async () => {
    const { body } = await api.send('GET /providers?search=never');

    expect(body).toMatchObject({
      data: [{ name: 'never-good', display_name: 'Never', source: 'workspace', problem: expect.stringMatching(NEVER) }],
    });
  });

  it('is named as usual when nothing is wrong with it', async () => {
    expect(await message('GET /providers/none')).toBe('The provider "none" is not in the catalogue.');
    const body = { provider_config_key: 'none', connection_id: 'c', credentials: { type: 'NONE' } };
    expect(await message('POST /connections', { body })).toBe('There is no integration "none".');
  });

  it('is back when the entry is right again', async () => {
    await restartWith(GOOD);
    onTestFinished(async () => {
      // An entry with a connection keeps its last good form.
      await api.send('DELETE /connections/c?provider_config_key=mine');
      await restartWith(BAD);
    });

    const imported = await importConnection(server, {
      provider_config_key: 'mine',
      connection_id: 'c',
      credentials: { type: 'NONE' },
    });
    expect(imported.status).toBe(201);
  });
});

import type { OpenApiDocument } from '../../../server/contract/openapi/openapi-document.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AuthModesHub } from '../authorization/auth-modes-hub.ts';
import { acceptAll } from '../authorization/authorization-providers.ts';
import type { ApiCaller } from '../http/api-caller.ts';

export interface SeededHub {
  server: AuthModesHub['server'];
  api: ApiCaller;
  /** Integrations of every mode, at a provider that accepts everything. */
  signIn: AuthModesHub;
  /** As the server returns it. */
  document: OpenApiDocument;
}

const ENDPOINT = "version: '1.0.0',\n  endpoint: { method: 'POST', path: '/practice/echo' },\n  undo: async () => {},";

const FUNCTIONS = {
  'practice/actions/echo.ts': actionSource('return { input };').replace("version: '1.0.0',", ENDPOINT),
  'practice/actions/refuse.ts': actionSource("throw new nango.ActionError({ message: 'no' });"),
  'practice/syncs/items.ts': syncSource(
    "await nango.batchSave([{ id: '1', text: 'a' }, { id: '2', text: 'b' }], 'Item');",
  ),
};

/** A server with the integration `practice`, its connection `me`, two actions and a sync, and one of every mode. */
export async function startSeededHub(): Promise<SeededHub> {
  const signIn = await AuthModesHub.start();
  const { api, provider, server } = signIn;
  acceptAll(provider);
  try {
    await importPracticeConnection(server);
    for (const [path, source] of Object.entries(FUNCTIONS)) await saveFunction(server.workspace, path, source);
    await waitFor(async () => areLive(await api.send('GET /scripts/config')), {
      what: 'the functions',
    });
    const document = (await api.send('GET /openapi.json')).body as OpenApiDocument;
    return { server, api, signIn, document };
  } catch (error) {
    await signIn.stop();
    throw error;
  }
}

function areLive({ bytes }: { bytes: Buffer }): boolean {
  const text = bytes.toString();
  return ['echo', 'refuse', 'items'].every((name) => text.includes(`"name":"${name}"`));
}

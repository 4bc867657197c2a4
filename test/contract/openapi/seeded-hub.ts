import type { OpenApiDocument } from '../../../server/contract/openapi/openapi-document.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';

export interface SeededHub {
  server: InProcessServer;
  api: ApiCaller;
  /** As the server gives it out. */
  document: OpenApiDocument;
}

const ENDPOINT = "version: '1.0.0',\n  endpoint: { method: 'POST', path: '/practice/echo' },";

const FUNCTIONS = {
  'practice/actions/echo.ts': actionSource('return { input };').replace("version: '1.0.0',", ENDPOINT),
  'practice/actions/refuse.ts': actionSource("throw new nango.ActionError({ message: 'no' });"),
  'practice/syncs/items.ts': syncSource(
    "await nango.batchSave([{ id: '1', text: 'a' }, { id: '2', text: 'b' }], 'Item');",
  ),
};

/** A server with the integration `practice`, its connection `me`, two actions and a sync. */
export async function startSeededHub(): Promise<SeededHub> {
  const server = await startInProcess();
  try {
    const api = new ApiCaller(server);
    await importPracticeConnection(server);
    for (const [path, source] of Object.entries(FUNCTIONS)) await saveFunction(server.workspace, path, source);
    await waitFor(async () => areLive(await api.send('GET /scripts/config')), {
      limitMs: 30_000,
      what: 'the functions',
    });
    const document = (await api.send('GET /openapi.json')).body as OpenApiDocument;
    return { server, api, document };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function areLive({ bytes }: { bytes: Buffer }): boolean {
  const text = bytes.toString();
  return ['echo', 'refuse', 'items'].every((name) => text.includes(`"name":"${name}"`));
}

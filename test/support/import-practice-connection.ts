import { Nango } from '@nangohq/node';
import type { ServerAddress } from './start-server.ts';

export const PRACTICE_KEY = 'practice-demo-key';

export interface PracticeConnection {
  nango: Nango;
  integration: string;
  connectionId: string;
}

/** The official client for a started server. */
export function officialClient(server: ServerAddress): Nango {
  return new Nango({ host: server.url, secretKey: server.secretKey });
}

/** Creates an integration on the practice provider and imports a connection: the client has no method for the import. */
export async function importPracticeConnection(
  server: ServerAddress,
  options: { integration?: string; connectionId?: string } = {},
): Promise<PracticeConnection> {
  const { integration = 'practice', connectionId = 'me' } = options;
  const nango = officialClient(server);
  await nango.createIntegration({ provider: 'practice', unique_key: integration });
  const response = await importConnection(server, { provider_config_key: integration, connection_id: connectionId });
  if (response.status !== 201) throw new Error(`import answered ${response.status}: ${await response.text()}`);
  return { nango, integration, connectionId };
}

/** `POST /connections` with the practice key; `body` is added or replaces its parts. */
export function importConnection(server: ServerAddress, body: Record<string, unknown>): Promise<Response> {
  return fetch(`${server.url}/connections`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ credentials: { type: 'API_KEY', apiKey: PRACTICE_KEY }, ...body }),
  });
}

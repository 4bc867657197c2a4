import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { PEEK_HEADER } from '../contract/peek-header.ts';
import type { AuditService } from '../environments/audit.service.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { announcesBody } from '../platform/http/body-reader.ts';
import { OPEN_HEADERS } from '../platform/http/middleware/cors.ts';
import { hasOneHost, isLocalRequest } from '../platform/http/middleware/host-guard.ts';
import type { ConnectionTexts } from './connection-texts.present.ts';
import type { ConnectionsService } from './connections.service.ts';

interface CachedConnectionDeps {
  environments: Pick<EnvironmentService, 'peekCaller'>;
  integrations: Pick<IntegrationsService, 'peek'>;
  connections: { credentials: Pick<ConnectionsService['credentials'], 'peek'> };
  connectionTexts: ConnectionTexts;
  audit: { keyUse: Pick<AuditService['keyUse'], 'called' | 'readCredentials'> };
}

/** The call as the official clients send it. Every other spelling or option goes through the normal route. */
const PLAIN_CALL = /^\/connections\/([\w.~-]+)\?provider_config_key=([\w.~-]+)$/;
const BEARER = 'Bearer ';

/**
 * Answers `GET /connections/:id` at once when key, integration and connection are in memory and the credentials are
 * fresh: the same bytes as `getConnection`, without the layers in between. Every other request, also one that is
 * refused, goes to `next`.
 */
export function answerCachedConnections(use: CachedConnectionDeps, next: RequestListener): RequestListener {
  return (request, response) => {
    const text = request.method === 'GET' ? tryFromMemory(use, request) : undefined;
    if (text === undefined) next(request, response);
    else send(response, text);
  };
}

function tryFromMemory(use: CachedConnectionDeps, request: IncomingMessage): string | undefined {
  try {
    return readFromMemory(use, request);
  } catch {
    return undefined; // The normal route meets the same failure and reports it.
  }
}

function readFromMemory(use: CachedConnectionDeps, request: IncomingMessage): string | undefined {
  const { headers, url = '' } = request;
  const [, connectionId, integrationKey] = PLAIN_CALL.exec(url) ?? [];
  if (connectionId === undefined || integrationKey === undefined) return undefined;
  const { authorization } = headers;
  if (!authorization?.startsWith(BEARER) || headers['content-type'] !== undefined || announcesBody(request))
    return undefined;
  if (headers[PEEK_HEADER] !== undefined) return undefined;
  if (!hasOneHost(request) || !isLocalRequest(request)) return undefined;
  const caller = use.environments.peekCaller(authorization.slice(BEARER.length));
  if (!caller || caller.environment.settings.rateLimitPerMinute !== null) return undefined;
  if (caller.allowed !== null) return undefined;
  if (!grants(caller.scopes, 'environment:connections:read_credentials')) return undefined;
  const integration = use.integrations.peek(caller.environment.id, integrationKey);
  const found = integration && use.connections.credentials.peek({ integrationId: integration.id, connectionId });
  if (!found) return undefined;
  const text = use.connectionTexts.of(found);
  use.audit.keyUse.called(caller, request.socket);
  use.audit.keyUse.readCredentials(caller, integrationKey, connectionId);
  return text;
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, [
    ...OPEN_HEADERS,
    'Content-Type',
    'application/json; charset=utf-8',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Length',
    String(Buffer.byteLength(text)),
  ]);
  response.end(text);
}

import { healthResponse, openApiResponse } from '../../contract/general-responses.ts';
import { createOpenApiDocument } from '../../contract/openapi/openapi-document.ts';
import { createKeptResponses } from './kept-responses.ts';
import { type Handler, ok, type PublicRoute } from './route.ts';

export interface ServerApiDeps {
  /** Version of the program. */
  version: string;
  /** Every route of the document, in its order. */
  routes: () => readonly PublicRoute[];
}

/** Public routes about the server itself (http-api.md 19). */
export function serverApi(use: ServerApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/health',
      access: 'public',
      handler: getHealth,
      openapi: {
        id: 'getHealth',
        tag: 'Server',
        summary: 'Check whether the server is up',
        responses: { 200: healthResponse },
      },
    },
    {
      method: 'get',
      path: '/ready',
      access: 'public',
      handler: getHealth,
      openapi: {
        id: 'getReady',
        tag: 'Server',
        summary: 'Check whether the server is ready',
        responses: { 200: healthResponse },
      },
    },
    {
      method: 'get',
      path: '/openapi.json',
      access: 'public',
      handler: getOpenApi(use),
      openapi: {
        id: 'getOpenApi',
        tag: 'Server',
        summary: 'Get this document',
        responses: { 200: openApiResponse },
      },
    },
    {
      method: 'post',
      path: '/cli/telemetry',
      access: 'public',
      handler: ignoreTelemetry,
      openapi: {
        id: 'ignoreTelemetry',
        tag: 'Server',
        summary: 'Accept reports of command-line tools',
        details: 'The reports are discarded.',
        responses: { 204: null },
        example: { body: {} },
      },
    },
  ];
}

/** The server listens only after every part has started (http-api.md 19). */
const getHealth: Handler = () => ok({ result: 'ok' });

/** Accepts usage reports of the reference's command line and discards them (http-api.md 19). */
const ignoreTelemetry: Handler = () => ({ status: 204 });

/** The document for the address that the caller used. The host guard admits only names of this computer. */
function getOpenApi(use: ServerApiDeps): Handler {
  const keptResponse = createKeptResponses();
  return ({ http }) => {
    const serverUrl = `http://${http.headers.host}`;
    return keptResponse(serverUrl, [], () => createOpenApiDocument(use.routes(), { serverUrl, version: use.version }));
  };
}

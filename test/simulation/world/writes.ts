import { CONNECTION_WRITES } from './connection-writes.ts';
import { ENVIRONMENT_WRITES } from './environment-writes.ts';
import { FUNCTION_WRITES } from './function-writes.ts';
import { RECORD_WRITES } from './record-writes.ts';
import type { Writes } from './write.ts';

/** Both environments of the beginning have the integration `sim`. */
export const WRITES: Writes = {
  ...CONNECTION_WRITES,
  ...FUNCTION_WRITES,
  ...RECORD_WRITES,
  ...ENVIRONMENT_WRITES,
};

const SAME_CREATION = 'a sign-in with entered credentials is stored by the same creation as an imported connection';
const TOOLS = 'a call of a tool: what it stores is the run of an action';
const STORES_NOTHING = 'stores nothing';
const COMPILES =
  'code is compiled or described in a worker of the real hub; test/integration/crashes/deploy-kill.test.ts kills it';
const SAME_AS_NEW = 'the handler of the route that replaces it (`successor`)';
const NEEDS_PERSON = 'needs the consent of a person; kept in the same rows as a key, written in one transaction';

/** Routes that change something and stand in no row, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'POST /integrations/quickstart': 'always refused',
  'POST /connect/telemetry': STORES_NOTHING,
  'POST /cli/telemetry': STORES_NOTHING,
  'POST /oauth/device/:providerConfigKey':
    'asks a provider of another kind; its tokens are stored as those of a callback',
  'DELETE /oauth/device/:providerConfigKey': 'forgets a sign-in that has stored nothing but its state',
  'POST /api-auth/api-key/:providerConfigKey': SAME_CREATION,
  'POST /api-auth/basic/:providerConfigKey': SAME_CREATION,
  'POST /oauth2/auth/:providerConfigKey': SAME_CREATION,
  'POST /auth/unauthenticated/:providerConfigKey': SAME_CREATION,
  'POST /auth/two-step/:providerConfigKey': SAME_CREATION,
  'POST /auth/jwt/:providerConfigKey': SAME_CREATION,
  'POST /auth/tba/:providerConfigKey': SAME_CREATION,
  'POST /auth/bill/:providerConfigKey': SAME_CREATION,
  'POST /auth/signature/:providerConfigKey': SAME_CREATION,
  'POST /auth/signature-based/:providerConfigKey': SAME_CREATION,
  'POST /auth/aws-sigv4/:providerConfigKey': SAME_CREATION,
  'POST /auth/oauth-outbound/:providerConfigKey': SAME_CREATION,
  'ALL /^\\/proxy(?:\\/|$)/i': STORES_NOTHING,
  'ALL /v1/*path': 'runs an action or reads records, as their own routes',
  'POST /sessions/:sessionId/calls/:callId/undo': TOOLS,
  'POST /session/:sessionId/mcp': TOOLS,
  'DELETE /session/:sessionId/mcp': STORES_NOTHING,
  'POST /agents/token': NEEDS_PERSON,
  'POST /agents/revoke': NEEDS_PERSON,
  'POST /agents/mcp': TOOLS,
  'DELETE /agents/mcp': STORES_NOTHING,
  'POST /mcp': TOOLS,
  'DELETE /mcp': STORES_NOTHING,
  'POST /mcp/manage': TOOLS,
  'DELETE /mcp/manage': STORES_NOTHING,
  'POST /records/query': STORES_NOTHING,
  'POST /records/destinations/test': STORES_NOTHING,
  'POST /records/destinations/:destinationId/test': STORES_NOTHING,
  'POST /records/destinations/:destinationId/retry': 'wakes a job, and stores nothing else',
  'DELETE /integrations/:uniqueKey/functions/:name': 'concerns functions that were sent, which need a deployment',
  'POST /sync/deploy/confirmation': STORES_NOTHING,
  'POST /sync/deploy': COMPILES,
  'POST /functions/compile': STORES_NOTHING,
  'POST /functions/dryruns': COMPILES,
  'POST /functions/deployments': COMPILES,
  'POST /functions/deployments/bundle': COMPILES,
  'POST /functions/deployments/bundle/preview': STORES_NOTHING,
  'POST /pairings': 'kept in memory only',
  'POST /pairings/:id': NEEDS_PERSON,
  'DELETE /connection/:connectionId': SAME_AS_NEW,
  'POST /connection/metadata': SAME_AS_NEW,
  'PATCH /connection/metadata': SAME_AS_NEW,
  'POST /connection/:connectionId/metadata': SAME_AS_NEW,
  'PATCH /connection/:connectionId/metadata': SAME_AS_NEW,
};

import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { buildCatalog } from '../../../server/catalog/build-catalog.ts';
import type { ProviderDefinition } from '../../../server/catalog/entry-schema.ts';
import { buildProviderRequest } from '../../../server/services/proxy/build-request.ts';
import { planRequests } from '../../../server/services/proxy/request-plan.ts';

const golden = new URL('../../golden/catalog/requests.json', import.meta.url);
const UUID = '00000000-0000-4000-8000-000000000000';

const CREDENTIAL_TYPES: Partial<Record<ProviderDefinition['auth_mode'], string>> = {
  MCP_OAUTH2: 'OAUTH2',
  MCP_OAUTH2_GENERIC: 'OAUTH2',
  CUSTOM: 'APP',
  INSTALL_PLUGIN: 'BASIC',
};

/** A connection with a telling value in every field that the entry could read. */
function sampleTarget(name: string, definition: ProviderDefinition) {
  const mode = definition.auth_mode;
  const fields = Object.keys(definition.credentials ?? {}).map((field): [string, string] => [field, `<${field}>`]);
  const config = Object.entries(definition.connection_config ?? {}).map(
    ([field, { pattern, format, enum: values, example }]): [string, string] => [
      field,
      values?.[0] ??
        (pattern === undefined && format === undefined ? `${field.toLowerCase()}-value` : (example ?? 'sample')),
    ],
  );
  return {
    environmentId: 1,
    providerName: name,
    integration: {
      uniqueKey: name,
      clientId: '<client id>',
      clientSecret: '<client secret>',
      custom: { baseUrl: 'https://custom.test', keyName: 'x-custom' },
    },
    connection: {
      id: 1,
      connectionId: 'sample',
      credentials: {
        type: CREDENTIAL_TYPES[mode] ?? mode,
        access_token: '<access token>',
        token: '<token>',
        username: '<user>',
        password: '<password>',
        oauth_token: 'oauth-token',
        oauth_token_secret: 'oauth-secret',
        token_id: 'token-id',
        token_secret: 'token-secret',
        dev_key: '<developer key>',
        session_id: '<session>',
        ...Object.fromEntries(fields),
      },
      connectionConfig: {
        accountId: '1',
        oauth_client_id: 'id',
        oauth_client_secret: 's',
        ...Object.fromEntries(config),
      },
      metadata: {},
    },
  };
}

/** What the hub sends for `GET /x`, or the code of the error. */
function describeRequest(name: string, definition: ProviderDefinition): string[] {
  try {
    const request = buildProviderRequest({
      plan: planRequests({ ...definition, name, source: 'builtin' }),
      target: sampleTarget(name, definition),
      request: { method: 'GET', endpoint: '/x' },
      now: Date.UTC(2026, 0, 1),
      random: UUID,
    });
    const { accept, 'user-agent': agent, ...headers } = request.headers;
    const common =
      accept?.startsWith('application/json, text/plain') && agent === 'Homeport'
        ? headers
        : { accept, 'user-agent': agent, ...headers };
    return [
      `GET ${request.url.href}`,
      ...Object.entries(common).map(([header, value]) => `${header}: ${value}`),
      ...request.warnings,
    ];
  } catch (error) {
    return [(error as { code?: string }).code ?? String(error)];
  }
}

describe('requests of the built-in providers', () => {
  it('are the recorded ones (UPDATE_GOLDEN=1 records them anew)', async () => {
    const actual = Object.fromEntries(
      [...(await buildCatalog())].map(([name, definition]) => [name, describeRequest(name, definition)]),
    );
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(golden, `${JSON.stringify(actual, null, 1)}\n`);

    expect(actual).toEqual(JSON.parse(await readFile(golden, 'utf8')));
  });
});

import { readdir, readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../server/contract/error-codes.ts';
import type { Route } from '../../../server/platform/http/route.ts';
import { publicRoutes, type RouteServices } from '../../../server/route-table.ts';
import { createOpenApiDocument, ROUTE_DESCRIPTIONS } from '../../support/public-document.ts';
import { DocumentChecker } from './document-checker.ts';
import { OPENAPI_SHAPE } from './openapi-shape.ts';

const document = createOpenApiDocument({ serverUrl: 'http://127.0.0.1:3003', version: '1.2.3' });
const operations = new DocumentChecker(document).operations();

/** The handlers are created but never run, so their services are never used. */
const routes = publicRoutes({} as RouteServices);

/** Codes that no public route answers, with the part that does. */
const ELSEWHERE: Record<string, string> = {
  invalid_export: 'import in the dashboard',
  wrong_passphrase: 'import in the dashboard',
  other_server_unreachable: 'import and export in the dashboard',
  other_server_refused_key: 'import and export in the dashboard',
  other_server_refused: 'import and export in the dashboard',
  other_server_incompatible: 'import and export in the dashboard',
  invalid_permissions: 'every caller of GET /integrations/:uniqueKey has a key',
  failed_to_get_connection: 'covered by server_error on the proxy',
  proxy_redirect_to_denied_host: 'named base_url_override_not_allowed over HTTP',
  unknown_provider_template_in_config: 'pagination inside functions',
  script_invalid_error: 'failures of functions',
  function_runtime_timed_out: 'failures of functions',
  function_runtime_other: 'failures of functions',
  action_failure: 'calls between functions',
  invalid_action_input: 'strict mode of functions',
  invalid_action_output: 'strict mode of functions',
  internal_server_error: 'calls between functions',
  sync_script_failure: 'log of a sync',
  webhook_script_failure: 'log of a webhook handler',
  on_event_script_failure: 'log of an on-event function',
  provider_step_failed: 'log of a connection; neither its making nor its deletion fails',
  validation_error: 'error of a dry run',
  checkpoint_conflict: 'calls of functions',
  invalid_checkpoint: 'calls of functions',
  invalid_record: 'calls of functions',
  webhook_body_gone: 'dashboard',
  host_refused: 'commands of homeport run',
  placeholder_refused: 'commands of homeport run',
  unsupported_upgrade: 'commands of homeport run',
};

describe('routes', () => {
  it('describes every route of the table and no other', () => {
    expect(Object.keys(ROUTE_DESCRIPTIONS).sort()).toEqual(routes.map(keyOf).sort());
  });

  it.each(routes.map((route) => [keyOf(route), route] as const))(
    'says who may call %s as the table does',
    (key, route) => {
      const { access, scopes, replacedBy } = ROUTE_DESCRIPTIONS[key]!;

      expect({ access, scopes: scopes?.map((scope) => `environment:${scope}`) }).toEqual({
        access: route.access,
        scopes: route.scopes,
      });
      expect(replacedBy?.replace(/^\w+ /, '')).toBe(
        route.successor?.replace(/:key$/, '{uniqueKey}').replace(/:(\w+)/g, '{$1}'),
      );
    },
  );

  it('has an operation for every description', () => {
    const described = operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);

    for (const key of Object.keys(ROUTE_DESCRIPTIONS)) {
      const pattern = key.replace('ALL ', 'GET ').replace('*path', ':path');
      expect(described).toContain(pattern);
    }
  });
});

describe('error codes', () => {
  const named = new Set(
    operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content }) => codesIn(content?.['application/json']?.schema)),
    ),
  );

  it('names only codes of the catalogue', () => {
    expect([...named].filter((code) => !(code in ERROR_CODES))).toEqual([]);
  });

  it('names every one of the catalogue, except those of other entry points', () => {
    expect(
      Object.keys(ERROR_CODES)
        .filter((code) => !named.has(code))
        .sort(),
    ).toEqual(Object.keys(ELSEWHERE).sort());
  });

  it('names the errors that each handler throws itself', async () => {
    const folder = new URL('../../../server/', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.api.ts'));
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));

    const thrown = texts.flatMap((text) =>
      [...text.matchAll(/new HomeportError\(\s*'(\w+)'/g)].map(([, code]) => code!),
    );
    expect(thrown.filter((code) => !named.has(code))).toEqual([]);
    expect(thrown.length).toBeGreaterThan(15);
  });
});

describe('the document', () => {
  it('has the form of OpenAPI 3.1', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });

    expect(ajv.validate(OPENAPI_SHAPE, document) || ajv.errorsText()).toBe(true);
  });

  it('holds schemas that compile, with references that resolve', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: true });
    ajv.addSchema(document, 'openapi');

    const pointers = schemaPointers(document);
    for (const pointer of pointers) expect(ajv.getSchema(`openapi#${pointer}`), pointer).toBeTypeOf('function');
    expect(pointers.length).toBeGreaterThan(300);
  });

  it('has an example for every operation that takes something, and each fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi');
    const misfits: string[] = [];
    for (const { method, operation, path } of operations) {
      const name = `${method} ${path}`;
      expect(operation['x-codeSamples'], name).toHaveLength(1);
      const { parameters = [], requestBody } = operation;
      const at = ['paths', path, method.toLowerCase()];
      const fits = (pointer: readonly (string | number)[], what: string, value: unknown): void => {
        const where = [...at, ...pointer].map((part) => encodeURIComponent(escaped(String(part)))).join('/');
        const validate = ajv.getSchema(`openapi#/${where}`);
        if (!validate) throw new Error(`no schema at ${where}`);
        if (!validate(value)) misfits.push(`${name}: ${what} ${ajv.errorsText(validate.errors)}`);
      };
      for (const [index, one] of parameters.entries()) {
        if ('example' in one) fits(['parameters', index, 'schema'], one.name, one.example);
        else if (one.required) misfits.push(`${name}: ${one.name} has no example`);
      }
      const media = requestBody?.content['application/json'];
      if (media && 'example' in media)
        fits(['requestBody', 'content', 'application/json', 'schema'], 'body', media.example);
      else if (requestBody?.required) misfits.push(`${name}: the body has no example`);
    }
    expect(misfits).toEqual([]);
  });

  it('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);

    expect(new Set(ids).size).toBe(ids.length);
  });

  it('lists exactly the parameters of each path', () => {
    for (const { method, path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const listed = (operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name);
      expect(listed, `${method} ${path}`).toEqual(inPath);
    }
  });

  it('uses the tags and security schemes that it declares, and every component', () => {
    const text = JSON.stringify(document);

    for (const { operation } of operations) {
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(document.components.securitySchemes).toHaveProperty(scheme);
    }
    for (const name of Object.keys(document.components.schemas).filter((one) => one !== 'ErrorCode'))
      expect(text).toContain(`"#/components/schemas/${name}"`);
  });

  it('is plain JSON and names the address and version that it was asked for', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(document).toMatchObject({ servers: [{ url: 'http://127.0.0.1:3003' }], info: { version: '1.2.3' } });
  });
});

/** The table writes the proxy's path as a regular expression, because it also accepts broken percent encodings. */
function keyOf({ method, path }: Route): string {
  return `${method.toUpperCase()} ${path instanceof RegExp ? '/proxy/*path' : path}`;
}

function codesIn(schema: unknown): string[] {
  const [, own] = (schema as { allOf?: unknown[] } | undefined)?.allOf ?? [];
  const found = own as { properties?: { error?: { properties?: { code?: { enum?: string[] } } } } } | undefined;
  return found?.properties?.error?.properties?.code?.enum ?? [];
}

/** Pointers to every `schema` member and every component. */
function schemaPointers(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const pointer = `${at}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
    const isSchema = key === 'schema' || at === '/components/schemas';
    return isSchema ? [pointer] : schemaPointers(member, pointer);
  });
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

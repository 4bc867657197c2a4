import { empty } from '../contract/fields.ts';
import type { FunctionTemplates } from '../functions/deployments/function-templates.ts';
import { presentTemplate } from '../functions/function.present.ts';
import { templatesResponse } from '../functions/function-responses.contract.ts';
import { createKeptResponses } from '../platform/http/kept-responses.ts';
import { type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CatalogReader } from './catalog/catalog.ts';
import { presentProvider, presentRefused } from './provider.present.ts';
import {
  listProvidersQuery,
  providerParams,
  providerResponse,
  providersFile,
  providersResponse,
} from './providers.contract.ts';

export interface ProvidersApiDeps {
  catalog: CatalogReader;
  templates: FunctionTemplates;
  /** Origin of pages and pictures without a trailing slash. Only this computer can open it (design.md 7.28). */
  localBase: () => string;
}

/** The catalogue, and example functions of its providers (http-api.md 2). */
export function providersApi(use: ProvidersApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/providers',
      access: 'key-or-session',
      limitedKeys: 'open',
      handler: listProviders(use),
      openapi: {
        id: 'listProviders',
        tag: 'Providers',
        summary: 'List providers',
        details:
          '`search` is matched with the name, in any case. Entries with `problem` are in a file of the workspace and cannot be used.',
        query: listProvidersQuery,
        responses: { 200: providersResponse },
        example: { path: '/providers?search=github' },
      },
    },
    {
      method: 'get',
      path: '/providers/:provider',
      access: 'key-or-session',
      limitedKeys: 'open',
      handler: getProvider(use),
      openapi: {
        id: 'getProvider',
        tag: 'Providers',
        summary: 'Get a provider',
        params: providerParams,
        query: empty,
        responses: { 200: providerResponse },
        errors: ['not_found'],
        example: { path: '/providers/practice' },
      },
    },
    {
      method: 'get',
      path: '/providers/:provider/templates',
      access: 'key',
      limitedKeys: 'open',
      handler: listTemplates(use),
      openapi: {
        id: 'listTemplates',
        tag: 'Providers',
        summary: 'List example functions of a provider',
        details: 'Empty for a provider that does not exist.',
        params: providerParams,
        query: empty,
        responses: { 200: templatesResponse },
        example: { path: '/providers/practice/templates' },
      },
    },
    {
      method: 'get',
      path: '/providers.json',
      access: 'public',
      handler: getProvidersFile(use),
      openapi: {
        id: 'getProvidersFile',
        tag: 'Providers',
        summary: 'Get the whole catalogue',
        responses: { 200: providersFile },
      },
    },
  ];
}

function listProviders(use: ProvidersApiDeps): Handler {
  const keptResponse = createKeptResponses();
  return (request) => {
    const { search } = validateQuery(listProvidersQuery, request.query);
    // `search` is a regular expression on the name (http-api.md 2). The allowed characters always form a valid one.
    const pattern = new RegExp(search ?? '', 'i');
    const found = use.catalog.list().filter((entry) => pattern.test(entry.name));
    const refused = use.catalog.refused().filter(({ name }) => pattern.test(name));
    return keptResponse(`${use.localBase()} ${search ?? ''}`, [...found, ...refused], () => ({
      data: [
        ...found.map((entry) => presentProvider(entry, use.localBase())),
        ...refused.map((entry) => ({
          ...presentRefused(entry, use.localBase()),
          problem: use.catalog.explainMissing(entry.name),
        })),
      ],
    }));
  };
}

function getProvider(use: ProvidersApiDeps): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    const { provider } = validateParams(providerParams, request.params);
    const entry = use.catalog.find(provider);
    if (!entry) throw new HomeportError('not_found', use.catalog.explainMissing(provider));
    return ok({ data: presentProvider(entry, use.localBase()) });
  };
}

/** Answers an empty list for a provider that does not exist (http-api.md 2). */
function listTemplates(use: ProvidersApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { provider } = validateParams(providerParams, request.params);
    return ok({ data: (await use.templates.list(provider)).map(presentTemplate) });
  };
}

/** The whole catalogue by provider key, for functions that fetch it (http-api.md 19). */
function getProvidersFile(use: ProvidersApiDeps): Handler {
  const keptResponse = createKeptResponses();
  return () => {
    const entries = use.catalog.list();
    return keptResponse('', entries, () =>
      Object.fromEntries(entries.map(({ name, source: _source, ...definition }) => [name, definition])),
    );
  };
}

import { templatesAnswer } from '../api/answers/function-answers.ts';
import { providerAnswer, providersAnswer, providersFile } from '../api/answers/provider-answers.ts';
import { empty } from '../api/fields.ts';
import { listProvidersQuery, providerParams } from '../api/providers.ts';
import type { RouteDescription } from './route-description.ts';

export const PROVIDER_ROUTES = {
  'GET /providers': {
    id: 'listProviders',
    tag: 'Providers',
    summary: 'List providers',
    details: '`search` is matched with the name, in any case.',
    access: 'key-or-session',
    query: listProvidersQuery,
    answers: { 200: providersAnswer },
  },
  'GET /providers/:provider': {
    id: 'getProvider',
    tag: 'Providers',
    summary: 'Get a provider',
    access: 'key-or-session',
    params: providerParams,
    query: empty,
    answers: { 200: providerAnswer },
    errors: ['not_found'],
  },
  'GET /providers/:provider/templates': {
    id: 'listTemplates',
    tag: 'Providers',
    summary: 'List example functions of a provider',
    details: 'Empty for a provider that does not exist.',
    access: 'key',
    params: providerParams,
    query: empty,
    answers: { 200: templatesAnswer },
  },
  'GET /providers.json': {
    id: 'getProvidersFile',
    tag: 'Providers',
    summary: 'Get the whole catalogue',
    access: 'public',
    answers: { 200: providersFile },
  },
} as const satisfies Record<string, RouteDescription>;

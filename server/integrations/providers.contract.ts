import { z } from 'zod';
import { integrationId, providerName } from '../contract/fields.ts';
import { dataOf, openObject } from '../contract/response-fields.ts';
import { WAYS_IN } from './catalog/ways-in.contract.ts';

/** Paths and queries under `/providers` (http-api.md 2). */
export const providerParams = z.strictObject({ provider: providerName });
export const listProvidersQuery = z.strictObject({ search: integrationId.optional() });

/** Responses under `/providers` (http-api.md 2). Catalogue entries keep the form in which they were written. */

const provider = z
  .looseObject({
    name: z.string(),
    display_name: z.string(),
    auth_mode: z.string(),
    logo_url: z.string(),
    /** `override`: a workspace entry replaces a built-in entry or is merged over it. */
    source: z.enum(['built-in', 'workspace', 'override']),
    /** In lists: why an entry of the workspace cannot be used. */
    problem: z.string().optional(),
    docs: z.string().optional(),
    categories: z.array(z.string()).optional(),
    /** Ways to connect, those first that need the least beforehand; absent for an entry that cannot be used. */
    ways_in: z.array(z.enum(WAYS_IN)).optional(),
    works_without_app: z.boolean().optional(),
    connection_config: openObject.optional(),
    credentials: openObject.optional(),
  })
  .meta({ id: 'Provider' });

export const providerResponse = dataOf(provider);
export const providersResponse = dataOf(z.array(provider));
export const providersFile = z.record(z.string(), z.looseObject({ display_name: z.string(), auth_mode: z.string() }));

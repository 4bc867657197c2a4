import { z } from 'zod';
import { integrationId, providerName } from '../contract/fields.ts';

/** Paths and queries under `/providers` (http-api.md 2). */
export const providerParams = z.strictObject({ provider: providerName });
export const listProvidersQuery = z.strictObject({ search: integrationId.optional() });

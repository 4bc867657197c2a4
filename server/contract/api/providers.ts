import { z } from 'zod';
import { providerName } from './fields.ts';

/** Paths under `/providers` (http-api.md 2). */
export const providerParams = z.strictObject({ provider: providerName });

import { z } from 'zod';
import { ERROR_CODES } from '../error-codes.ts';
import type { JsonSchema } from './schema-writer.ts';

const issue = z
  .object({ code: z.string(), message: z.string(), path: z.array(z.string()) })
  .meta({ id: 'Issue', description: 'One problem of a request; indexes in the path are text too.' });

/** The body of every refusal (http-api.md 1.4); some routes add members beside `error` and in it. */
export const errorEnvelope = z
  .looseObject({
    error: z.looseObject({
      code: z.string(),
      message: z.string().optional(),
      errors: z.array(issue).optional(),
      payload: z.unknown().optional(),
    }),
  })
  .meta({ id: 'Error' });

/** The catalogue: every code with what it means. */
export function errorCodeSchema(): JsonSchema {
  return { oneOf: Object.entries(ERROR_CODES).map(([code, { when }]) => ({ const: code, description: when })) };
}

import { z } from 'zod';

/** Responses of the hub about itself, and of queued actions (http-api.md 8 and 19). */

export const healthResponse = z.object({ result: z.literal('ok') });

export const webhookTakenResponse = z.object({ status: z.literal('success') });

/** Path of the output of a queued action, relative to the root. */
export const queuedActionResponse = z.object({ id: z.uuid(), statusUrl: z.string() });

export const openApiResponse = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.looseObject({}),
});

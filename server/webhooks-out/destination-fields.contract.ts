import { z } from 'zod';
import { httpUrl, integrationId } from '../contract/fields.ts';

/** Further destinations of outgoing webhooks (webhooks.md 1.7). */

/** Largest number per environment, in addition to the primary and the secondary URL. */
export const MAX_DESTINATIONS = 20;

/** Webhooks per second that a resend of many starts, so that a receiver that has just recovered is not flooded. */
export const BULK_PER_SECOND = 10;

export const webhookType = z.enum(['auth', 'sync', 'async_action', 'forward']);

/** A blank name counts as missing. */
export const destinationName = z
  .string()
  .trim()
  .max(100, 'Must have at most 100 characters.')
  .transform((text) => text || null)
  .nullable();

const unique = <Item extends z.ZodType<string>>(item: Item) => z.array(item).transform((list) => [...new Set(list)]);

/** An empty list means webhooks of every type. */
export const destinationTypes = unique(webhookType);
/** Integration keys; an empty list means every integration. The integration may be created later. */
export const destinationIntegrations = z.array(integrationId).max(100).pipe(unique(z.string()));

const destination = z.strictObject({
  /** Id of an existing destination to change. Without it a new one is created. */
  id: z.uuid().optional(),
  name: destinationName.default(null),
  url: httpUrl,
  is_enabled: z.boolean().default(true),
  types: destinationTypes.default([]),
  integrations: destinationIntegrations.default([]),
});

/** The complete list; destinations that are missing in it are removed. */
export const destinationsBody = z.strictObject({
  destinations: z
    .array(destination)
    .max(MAX_DESTINATIONS, `An environment has at most ${MAX_DESTINATIONS} further destinations.`)
    .superRefine((list, context) => {
      const ids = list.flatMap(({ id }) => id ?? []);
      if (new Set(ids).size < ids.length)
        context.addIssue({ code: 'custom', message: 'Two destinations have the same id.' });
    }),
});

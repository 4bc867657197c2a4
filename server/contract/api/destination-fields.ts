import { z } from 'zod';
import { webhookType } from '../dashboard/dashboard-outgoing-webhooks.ts';
import { httpUrl, integrationId } from './fields.ts';

/** Further destinations of outgoing webhooks (webhooks.md 1.7). */

/** Of one environment, beside the primary and the secondary URL. */
export const MOST_DESTINATIONS = 20;

/** A blank one is none. */
export const destinationName = z
  .string()
  .trim()
  .max(100, 'Must have at most 100 characters.')
  .transform((text) => text || null)
  .nullable();

const unique = <Item extends z.ZodType<string>>(item: Item) => z.array(item).transform((list) => [...new Set(list)]);

/** Empty: webhooks of every type. */
export const destinationTypes = unique(webhookType);
/** Keys; empty: webhooks of every integration. One that does not exist yet may be named. */
export const destinationIntegrations = z.array(integrationId).max(100).pipe(unique(z.string()));

const destination = z.strictObject({
  /** Of one that is there, which this changes; absent: a new one. */
  id: z.uuid().optional(),
  name: destinationName.default(null),
  url: httpUrl,
  is_enabled: z.boolean().default(true),
  types: destinationTypes.default([]),
  integrations: destinationIntegrations.default([]),
});

/** All that there are to be. */
export const destinationsBody = z.strictObject({
  destinations: z
    .array(destination)
    .max(MOST_DESTINATIONS, `An environment has at most ${MOST_DESTINATIONS} further destinations.`)
    .superRefine((list, context) => {
      const ids = list.flatMap(({ id }) => id ?? []);
      if (new Set(ids).size < ids.length)
        context.addIssue({ code: 'custom', message: 'Two destinations have the same id.' });
    }),
});

export type DestinationsBody = z.infer<typeof destinationsBody>;

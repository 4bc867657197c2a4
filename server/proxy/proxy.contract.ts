import { z } from 'zod';
import { connectionId, integrationId } from '../contract/fields.ts';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Request headers of `/proxy` for the hub itself. `Nango-Proxy-*` headers are for the provider (http-api.md 7). */
export const proxyHeaders = z.object({
  'provider-config-key': integrationId,
  'connection-id': connectionId,
  retries: z.coerce.number().int().min(0).default(0),
  'retry-on': z
    .string()
    .regex(/^\d+(,\d+)*$/, 'Write status codes, separated by commas, such as 429,503.')
    .transform((text) => text.split(',').map(Number))
    .optional(),
  'base-url-override': z.union([z.literal(''), z.url()]).optional(),
  /** Homeport's own: the override comes from a response, so another host gets no credentials (design.md 7.48). */
  'homeport-follows-link': flag.optional(),
  decompress: flag.optional(),
  'forward-headers-on-redirect': flag.optional(),
  'nango-activity-log-id': z.string().max(255).optional(),
  'nango-is-sync': flag.optional(),
  'nango-is-dry-run': flag.optional(),
});

export type ProxyHeaders = z.infer<typeof proxyHeaders>;

import { z } from 'zod';
import { environmentQuery } from '../contract/dashboard/dashboard-lists.ts';

/** Names one secret to show. Every reveal is recorded in the audit. */
export const revealBody = z.discriminatedUnion('kind', [
  /** `isForCall`: the command line needs it for its own call, and shows it to nobody. */
  z.object({ kind: z.literal('secret_key'), isForCall: z.literal(true).optional() }),
  z.object({ kind: z.literal('signing_key') }),
  z.object({ kind: z.literal('variable'), name: z.string() }),
  /** A header for the trace collector, by its name. */
  z.object({ kind: z.literal('otlp_header'), name: z.string() }),
  z.object({ kind: z.literal('integration'), integrationKey: z.string(), field: z.string() }),
  z.object({ kind: z.literal('credential'), integrationKey: z.string(), connectionId: z.string(), field: z.string() }),
]);

export const revealed = z.object({ value: z.string() });

export const revealRouteShapes = {
  'POST /api/v1/reveal': {
    meaning: 'The value of one secret.',
    query: environmentQuery,
    body: revealBody,
    response: revealed,
  },
};

export type RevealTarget = z.infer<typeof revealBody>;

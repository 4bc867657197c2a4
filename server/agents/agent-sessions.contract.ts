import { z } from 'zod';
import { connectionId, integrationId, MAX_TAG_VALUE_LENGTH, MAX_TAGS, tagKey } from '../contract/fields.ts';
import { callLimitsBody } from '../limits/limits.contract.ts';

/** What creates an agent session (agents.md 2 and 7). */

/** Switches of a session, with their defaults (agents.md 4). */
export const META_TOOLS = {
  nango_tool_search: true,
  nango_execute: true,
  nango_proxy: false,
  nango_create_connection: false,
  homeport_query_records: false,
} as const;
export type MetaTool = keyof typeof META_TOOLS;

const MAX_SELECTORS = 10;
/** Of each list and map, far above what a session needs. */
const MAX_NAMES = 2000;

/** All of its tags must match, exactly; keys are stored in lower case. */
const selector = z.strictObject({
  tags: z.record(tagKey, z.string().min(1).max(MAX_TAG_VALUE_LENGTH)).superRefine((tags, context) => {
    const keys = Object.keys(tags);
    if (keys.length === 0)
      context.addIssue({ code: 'custom', message: 'Name a tag: a selector without one would match every connection.' });
    if (keys.length > MAX_TAGS) context.addIssue({ code: 'custom', message: `At most ${MAX_TAGS} tags are allowed.` });
    if (new Set(keys.map((key) => key.toLowerCase())).size < keys.length)
      context.addIssue({
        code: 'custom',
        message: 'Two tag keys differ only in case; keys are stored in lower case.',
      });
  }),
});

const connections = z
  .strictObject({
    any: z.array(selector).min(1).max(MAX_SELECTORS).optional(),
    pinned: z
      .array(z.strictObject({ integration_id: integrationId.min(1), connection_id: connectionId.min(1) }))
      .max(MAX_NAMES)
      .optional(),
  })
  .refine(({ any, pinned = [] }) => any !== undefined || pinned.length > 0, {
    message: 'Say which connections the session acts for: tags under "any", or connections under "pinned".',
  });

const toolNames = z.array(z.string().min(1).max(255)).max(MAX_NAMES);
const toolList = z.strictObject({ tools: toolNames });
const integrationName = z.string().min(1).max(255);
const RULE = '"*" or {"allow": "*" or {"tools": [names]}, "deny": {"tools": [names]}}';
const policy = z.union(
  [
    z.literal('*'),
    z.strictObject({ allow: z.union([z.literal('*'), toolList]).optional(), deny: toolList.optional() }),
  ],
  `Write ${RULE}.`,
);

const atMost = (value: object): boolean => Object.keys(value).length <= MAX_NAMES;

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MIN_LIFE_MS = 60_000;
const MAX_LIFE_MS = 30 * UNIT_MS.d;
const DEFAULT_LIFE_MS = UNIT_MS.h;

/** Milliseconds of a text such as `30m`; NaN for another text. */
function lifeOf(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? Number.NaN : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** Milliseconds that a session lives. */
export function sessionLifeMs(expiresIn: string | undefined): number {
  return expiresIn === undefined ? DEFAULT_LIFE_MS : lifeOf(expiresIn);
}

export const createAgentSessionBody = z.strictObject({
  tenant: z.strictObject({ connections }),
  toolset: z
    .union(
      [z.literal('*'), z.record(integrationName, policy).refine(atMost)],
      `Write "*", or for each integration ${RULE}.`,
    )
    .optional(),
  pinned_tools: z.record(integrationName, toolNames).refine(atMost).optional(),
  meta_tools: z.record(z.string(), z.boolean()).refine(atMost).optional(),
  /** An addition of Homeport (agents.md 9). */
  limits: callLimitsBody.optional(),
  expires_in: z
    .string()
    .refine((text) => lifeOf(text) >= MIN_LIFE_MS && lifeOf(text) <= MAX_LIFE_MS, {
      message: 'Write a number with s, m, h or d, from 60s to 30d, for example 30m, 2h or 7d.',
    })
    .optional(),
  /** After text by strangers: ask before each write, or go on as before (agents.md 10). */
  untrusted_content: z.enum(['ask', 'ignore']).optional(),
});

export const agentSessionParams = z.strictObject({ sessionId: z.string().min(1).max(255) });

export const agentCallParams = z.strictObject({
  sessionId: z.string().min(1).max(255),
  callId: z.string().min(1).max(255),
});

export const listAgentSessionsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  page: z.coerce.number().int().min(0).default(0),
});

export type CreateAgentSessionBody = z.infer<typeof createAgentSessionBody>;

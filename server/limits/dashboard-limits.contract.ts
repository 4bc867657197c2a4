import { z } from 'zod';
import { environmentQuery, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { changeLimitsBody, effectiveLimits, limitChanges, usedOfLimits } from './limits.contract.ts';

/** Limits of calls, as the page Agents shows and changes them (agents.md 9). */

const { calls_per_minute: setPerMinute, ...setOthers } = limitChanges.shape;
const { calls_per_minute: perMinute, ...others } = effectiveLimits.shape;

export const shownLimits = z.object({ callsPerMinute: perMinute, ...others });
export const shownUse = usedOfLimits;

const limitedRow = z.object({
  kind: z.enum(['sessions', 'key', 'program', 'session', 'run']),
  id: z.string(),
  /** Of a key. */
  name: z.string().nullable(),
  limits: shownLimits,
  /** Names of the limits that are its own and not the defaults. */
  own: z.array(shownLimits.keyof()),
  /** What holds without its own. */
  defaults: shownLimits,
  used: shownUse,
});

const limitsForm = z.object({
  kind: changeLimitsBody.shape.kind,
  id: z.string().max(255).optional(),
  limits: z.strictObject({ callsPerMinute: setPerMinute, ...setOthers }).nullable(),
});

export const limitsRouteShapes = {
  'GET /api/v1/limits': {
    meaning: 'The defaults of agent sessions, and what has limits of its own or was counted.',
    query: environmentQuery,
    response: wholeResponse(limitedRow),
  },
  'PUT /api/v1/limits': {
    meaning: 'Changes the limits that are named; `default` takes one back, null all of them.',
    query: environmentQuery,
    body: limitsForm,
    response: limitedRow,
  },
};

export type LimitedRow = z.infer<typeof limitedRow>;
export type LimitsForm = z.infer<typeof limitsForm>;
export type ShownLimits = z.infer<typeof shownLimits>;
export type ShownUse = z.infer<typeof shownUse>;

import { z } from 'zod';
import { dataOf } from '../contract/response-fields.ts';

/** How much a key, a program, a session or a run may do (agents.md 9). */

/** Calls per minute beyond this are not worth counting one by one. */
const MAX_PER_MINUTE = 10_000;
const MAX_COUNT = 1_000_000_000;
const MAX_NAMES = 100;

const count = z.int().min(0).max(MAX_COUNT);
const host = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .regex(/^(?:\*\.)?[^\s/:?#@*]+$/, 'Write a host without port and path, such as api.example.com or *.example.com.');

/** An absent member keeps the default of its kind; null is no limit. */
export const callLimitsBody = z.strictObject({
  calls_per_minute: z.int().min(1).max(MAX_PER_MINUTE).nullable().optional(),
  calls: count.nullable().optional(),
  writes: count.nullable().optional(),
  /** In the unit in which functions report it. */
  cost: z.number().min(0).max(MAX_COUNT).nullable().optional(),
  /** The same call in a row, before a person is asked. */
  repeats: z.int().min(2).max(1000).nullable().optional(),
  hosts: z.array(host).max(MAX_NAMES).nullable().optional(),
  methods: z
    .array(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']))
    .nullable()
    .optional(),
});

/** What `default` stands for in a change: the limit of its own is taken back. */
const settable = <Limit extends z.ZodType>(limit: Limit) => z.union([z.literal('default'), limit]).optional();

/** An absent member stays as it is; `default` takes it back; null is no limit. */
export const limitChanges = z.strictObject({
  calls_per_minute: settable(callLimitsBody.shape.calls_per_minute),
  calls: settable(callLimitsBody.shape.calls),
  writes: settable(callLimitsBody.shape.writes),
  cost: settable(callLimitsBody.shape.cost),
  repeats: settable(callLimitsBody.shape.repeats),
  hosts: settable(callLimitsBody.shape.hosts),
  methods: settable(callLimitsBody.shape.methods),
});

export type CallLimitsBody = z.infer<typeof callLimitsBody>;

/** Null is no limit. */
export interface CallLimits {
  callsPerMinute: number | null;
  calls: number | null;
  writes: number | null;
  cost: number | null;
  /** How often the same call may come in a row; after that a person is asked. */
  repeats: number | null;
  hosts: readonly string[] | null;
  methods: readonly string[] | null;
}

/** Those that differ from the defaults. */
export type OwnLimits = Partial<CallLimits>;

/** Members that were not named stay; `default` takes one back. */
export type LimitChanges = { [Name in keyof CallLimits]?: CallLimits[Name] | 'default' };

/** The members that were given, as the hub names them. */
export const readLimits = (body: CallLimitsBody): OwnLimits => readLimitChanges(body) as OwnLimits;

/** As `readLimits`, with what is taken back. */
export function readLimitChanges({
  calls_per_minute: callsPerMinute,
  ...others
}: z.infer<typeof limitChanges>): LimitChanges {
  const limits = { callsPerMinute, ...others };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** All members; null is no limit. */
export const effectiveLimits = z.object({
  calls_per_minute: z.int().nullable(),
  calls: z.int().nullable(),
  writes: z.int().nullable(),
  cost: z.number().nullable(),
  repeats: z.int().nullable(),
  hosts: z.array(z.string()).nullable(),
  methods: z.array(z.string()).nullable(),
});

export const usedOfLimits = z.object({ calls: z.int(), writes: z.int(), cost: z.number() });

const subjectKind = z.enum(['sessions', 'key', 'program', 'session', 'run']);

const limitedSubject = z.object({
  /** `sessions`: what each session has that says nothing else. */
  kind: subjectKind,
  /** Id of the key, name of the program, id of the session or the run; empty for `sessions`. */
  id: z.string(),
  name: z.string().nullable(),
  limits: effectiveLimits,
  /** Names of the limits that are its own and not the defaults. */
  own: z.array(effectiveLimits.keyof()),
  used: usedOfLimits,
});

export const limitsResponse = dataOf(z.array(limitedSubject));
export const changedLimitsResponse = dataOf(limitedSubject);

/** `limits` changes those that it names; null takes all of them back. */
export const changeLimitsBody = z.strictObject({
  kind: z.enum(['sessions', 'key', 'program', 'session']),
  id: z.string().max(255).optional(),
  limits: limitChanges.nullable(),
});

import { z } from 'zod';
import { isoTime } from '../contract/dashboard/dashboard-lists.ts';

/**
 * HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as far as the log records it: one duration for
 * the whole exchange, and bodies if traffic was recorded. A size of -1 means unknown.
 */
const pairs = z.array(z.object({ name: z.string(), value: z.string() }));
const UNKNOWN = z.literal(-1);
const size = z.number().int().min(-1);

const harEntry = z.object({
  startedDateTime: isoTime,
  /** Milliseconds. */
  time: z.number(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    httpVersion: z.string(),
    cookies: z.array(z.never()),
    headers: pairs,
    queryString: pairs,
    postData: z
      .object({
        mimeType: z.string(),
        params: z.array(z.never()),
        text: z.string(),
        /** Set when `text` is the body in base64. HAR has no standard member for binary request bodies. */
        _encoding: z.literal('base64').optional(),
        comment: z.string().optional(),
      })
      .optional(),
    headersSize: UNKNOWN,
    bodySize: size,
  }),
  /** Status 0 means that no response arrived. */
  response: z.object({
    status: z.number().int(),
    statusText: z.string(),
    httpVersion: z.string(),
    cookies: z.array(z.never()),
    headers: pairs,
    content: z.object({
      size,
      mimeType: z.string(),
      text: z.string().optional(),
      encoding: z.literal('base64').optional(),
      comment: z.string().optional(),
    }),
    redirectURL: z.string(),
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
  }),
  cache: z.object({}),
  timings: z.object({ send: z.literal(0), wait: z.number(), receive: z.literal(0) }),
  comment: z.string(),
  /** Operation of the log that sent the request. */
  _operationId: z.string(),
});

export const harDocument = z.object({
  log: z.object({
    version: z.literal('1.2'),
    creator: z.object({ name: z.literal('Homeport'), version: z.string() }),
    entries: z.array(harEntry),
    comment: z.string(),
  }),
});

/** Largest number of requests in one file. */
export const MAX_HAR_ENTRIES = 5000;
/** Largest size of all bodies in one file; further requests have no bodies. */
export const MAX_HAR_BODY_BYTES = 32 * 1_048_576;

export type HarEntry = z.infer<typeof harEntry>;
export type HarDocument = z.infer<typeof harDocument>;

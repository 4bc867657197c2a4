import { z } from 'zod';
import { isoTime } from './dashboard-lists.ts';

/**
 * HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as much of it as the log records: one time for the
 * whole exchange, bodies where traffic was recorded, else no sizes (-1: not known).
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
        /** The format knows no bytes here; where the text is not the body itself. */
        _encoding: z.literal('base64').optional(),
        comment: z.string().optional(),
      })
      .optional(),
    headersSize: UNKNOWN,
    bodySize: size,
  }),
  /** Status 0: no answer came. */
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
  /** Operation of the log that sent it. */
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

/** Requests in one file. */
export const MOST_HAR_ENTRIES = 5000;
/** Bytes of bodies in one file; requests beyond have none. */
export const MOST_HAR_BODY_BYTES = 32 * 1_048_576;

export type HarEntry = z.infer<typeof harEntry>;
export type HarDocument = z.infer<typeof harDocument>;

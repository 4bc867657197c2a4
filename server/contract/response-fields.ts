import { z } from 'zod';

/** Parts of many responses (http-api.md 1.6). */

/** A time in ISO 8601 with its zone. */
export const instant = z.iso.datetime({ offset: true });
/** Number of a row. */
export const rowId = z.int();
/** JSON object with any content. */
export const openObject = z.looseObject({});
/** Any JSON value. */
export const anyJson = z.unknown();

export const success = z.object({ success: z.literal(true) });

export const dataOf = <T extends z.ZodType>(data: T) => z.object({ data });

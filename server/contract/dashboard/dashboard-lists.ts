import { z } from 'zod';

/** Rows of one page; the client asks for pages of this size. */
export const PAGE_SIZE = 200;

/** `a,b,c` in a query string. Input is the text, output the members. */
export const commaList = <T extends z.ZodType<unknown, string>>(member: T) =>
  z
    .string()
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .pipe(z.array(member).max(20));

/** Name of the environment; every route but session, meta, environments and providers takes it. */
export const environmentQuery = z.object({ env: z.string().min(1).max(255) });

/**
 * What every list takes. `sort` is a key of the list, with a leading `-` for descending. `snapshot` is the
 * opaque text of the first answer: with it, rows that appeared later do not shift the pages.
 */
export const listQuery = <Key extends string>(sortKeys: readonly [Key, ...Key[]]) =>
  environmentQuery.extend({
    offset: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(PAGE_SIZE).default(PAGE_SIZE),
    sort: z.enum([...sortKeys, ...sortKeys.map((key): `-${Key}` => `-${key}`)] as [Key | `-${Key}`]).optional(),
    snapshot: z.string().max(64).optional(),
    search: z.string().max(255).optional(),
  });

/** What every list answers. `total` counts all rows of the filter inside the snapshot. */
export const listResponse = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), total: z.number().int().min(0), snapshot: z.string() });

/** A short list that always comes whole. */
export const wholeResponse = <Row extends z.ZodType>(row: Row) => z.object({ data: z.array(row) });

export const isoTime = z.iso.datetime({ offset: true });

/** A zone of the IANA database, as in `Europe/Berlin`. */
export const timeZoneName = z.string().max(64).refine(isTimeZone, 'Name a time zone of the IANA database.');

/** An offset, as in "+02:00", is no zone: it does not say when clocks change. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Free JSON. */
export const dashboardJsonObject = z.record(z.string(), z.unknown());

/** The answer of a route that returns nothing else. */
export const done = z.object({ success: z.literal(true) });

/** The part of an address that names an integration; connection ids are URL-encoded (they hold slashes). */
export const dashboardIntegrationParams = z.object({ integrationKey: z.string() });
export const dashboardConnectionParams = dashboardIntegrationParams.extend({ connectionId: z.string() });

import { z } from 'zod';
import { MAX_LIST_GROUPS, PAGE_SIZE } from './list-limits.ts';

/** `a,b,c` in a query string. Parses to the list of members. */
export const commaList = <T extends z.ZodType<unknown, string>>(member: T) =>
  z
    .string()
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .pipe(z.array(member).max(20));

/** Name of the environment. Every route takes it, except session, meta, environments and providers. */
export const environmentQuery = z.object({ env: z.string().min(1).max(255) });

/**
 * Query of every list. `sort` is a key of the list, with a leading `-` for descending. `snapshot` is an opaque text
 * from the first response; with it, rows that were created later do not shift the pages.
 */
export const listQuery = <Key extends string>(sortKeys: readonly [Key, ...Key[]]) =>
  environmentQuery.extend({
    offset: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(PAGE_SIZE).default(PAGE_SIZE),
    sort: z.enum([...sortKeys, ...sortKeys.map((key): `-${Key}` => `-${key}`)] as [Key | `-${Key}`]).optional(),
    snapshot: z.string().max(64).optional(),
    search: z.string().max(255).optional(),
    /** `exact`: count all rows, for a scroll bar. Otherwise a list may stop counting at 10,000. */
    count: z.enum(['exact']).optional(),
  });

/**
 * Response of every list. `total` counts the matching rows of the snapshot; with `isTotalCut` there are more than it
 * says ("10,000+").
 */
export const listResponse = <Row extends z.ZodType>(row: Row) =>
  z.object({
    data: z.array(row),
    total: z.number().int().min(0),
    isTotalCut: z.literal(true).optional(),
    snapshot: z.string(),
  });

/** A group of a grouped list, with the number of its rows. `label` is null when the value is its own label. */
export const listGroup = z.object({
  value: z.string(),
  label: z.string().nullable(),
  /** Provider whose picture is shown before the name of an integration. */
  provider: z.string().nullable(),
  count: z.number().int().min(1),
});

/** A list that can be grouped: its rows are then sorted by group first, and `groups` are in the order of the rows. */
export const groupedResponse = <Row extends z.ZodType>(row: Row) =>
  listResponse(row).extend({ groups: z.array(listGroup).max(MAX_LIST_GROUPS).optional() });

export const groupBy = z.enum(['integration', 'status']);

/** A short list without pages. */
export const wholeResponse = <Row extends z.ZodType>(row: Row) => z.object({ data: z.array(row) });

export type ListGroup = z.infer<typeof listGroup>;
export type GroupBy = z.infer<typeof groupBy>;

export const isoTime = z.iso.datetime({ offset: true });

/** A zone of the IANA database, for example `Europe/Berlin`. */
export const timeZoneName = z.string().max(64).refine(isTimeZone, 'Name a time zone of the IANA database.');

/** An offset such as "+02:00" is refused, because it does not say when clocks change. */
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

/** JSON object with any content. */
export const dashboardJsonObject = z.record(z.string(), z.unknown());

/** Response of a route without other content. */
export const done = z.object({ success: z.literal(true) });

/**
 * Path parameter that names an integration. Connection ids in paths are URL-encoded, because they may contain slashes.
 */
export const dashboardIntegrationParams = z.object({ integrationKey: z.string() });
export const dashboardConnectionParams = dashboardIntegrationParams.extend({ connectionId: z.string() });

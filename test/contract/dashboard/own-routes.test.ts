import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dashboardRoutes } from '../../../server/contract/dashboard/dashboard-routes.ts';
import { describedRoutes, type RouteServices } from '../../../server/route-table.ts';

/** Members of every list. */
const OF_LISTS = new Set(['data', 'total', 'isTotalCut', 'snapshot']);

/** The names of all members of a response, at any depth. */
function membersOf(schema: z.ZodType): string[] {
  const found = new Set<string>();
  JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }), (key, value: unknown) => {
    if (key === 'properties') for (const name of Object.keys(value as object)) found.add(name);
    return value;
  });
  return [...found].filter((name) => !OF_LISTS.has(name));
}

const publicReads = describedRoutes({} as RouteServices)
  .filter(({ method, openapi }) => method === 'get' && openapi.responses[200] instanceof z.ZodType)
  .map(({ openapi, path }) => ({
    name: String(openapi.path ?? path),
    members: new Set(membersOf(openapi.responses[200] as z.ZodType)),
  }));

describe('the routes of the dashboard', () => {
  it('answer what no public route answers: such a window asks the public route (DECISION 144)', () => {
    const repeated = Object.entries(dashboardRoutes).flatMap(([key, { response }]) => {
      const members = key.startsWith('GET ') ? membersOf(response) : [];
      // Two names occur in anything.
      if (members.length < 3) return [];
      const same = publicReads.filter((one) => members.every((name) => one.members.has(name)));
      return same.map(({ name }) => `${key} repeats GET ${name}`);
    });
    expect(publicReads.length).toBeGreaterThan(25);
    expect(repeated).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { describedRoutes, type RouteServices } from '../../../server/route-table.ts';
import { LEFT_OUT, WRITES } from './writes.ts';

const KNOWN = [...Object.values(WRITES).map(({ route }) => route), ...Object.keys(LEFT_OUT)];
const ROUTES = describedRoutes({} as RouteServices).map(({ method, path }) => `${method.toUpperCase()} ${path}`);

it('each route that may write has a write whose every call fails once, or a reason why not', () => {
  expect(ROUTES.filter((route) => !route.startsWith('GET ') && !KNOWN.includes(route))).toEqual([]);
});

it('no write and no reason is for a route that is gone, and none has both', () => {
  const ofWrites = Object.values(WRITES).flatMap(({ route }) => (route === undefined ? [] : [route]));

  expect([...ofWrites, ...Object.keys(LEFT_OUT)].filter((route) => !ROUTES.includes(route))).toEqual([]);
  expect(Object.keys(LEFT_OUT).filter((route) => ofWrites.includes(route))).toEqual([]);
});

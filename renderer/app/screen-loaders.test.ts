import { matchRoutes } from 'react-router';
import { describe, expect, it } from 'vitest';
import { loaderOf, SCREEN_LOADERS } from './screen-loaders.ts';

const ROUTES = SCREEN_LOADERS.map(({ path }) => ({ path: `/:env/${path}` }));

describe('the screen of an address', () => {
  it.each([
    ...SCREEN_LOADERS.flatMap(({ path }) => [
      `/app/dev/${path.replaceAll(/[:?]/g, '')}`,
      `/app/dev/${path.replace(/\/:\w+\?$/, '').replaceAll(':', '')}`,
    ]),
    '/app/dev/',
    '/app/dev/logs/',
    '/app/dev/connections/crm/a%2Fb%20c',
    '/app/dev/integrations/functions/functions/callback',
    '/app/dev/nowhere',
    '/app/dev/logs/more',
  ])('%s is the one that the router shows', (address) => {
    const shown = matchRoutes(ROUTES, address, '/app')?.at(-1)?.route.path;

    expect(loaderOf(address) && `/:env/${loaderOf(address)?.path}`).toBe(shown);
  });

  it.each(['/app', '/app/', '/', '/other/dev/logs'])('does not exist at %s', (address) => {
    expect(loaderOf(address)).toBeUndefined();
  });
});

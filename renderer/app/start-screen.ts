import { loaderOf } from './screen-loaders.ts';

/**
 * A script of its own, before the page's entry: loads the files of the screen in the address while the browser still parses
 * that entry. The router then finds them in the cache; it repeats a load that failed here, and reports the failure.
 */
loaderOf(location.pathname)
  ?.load()
  .catch(() => undefined);

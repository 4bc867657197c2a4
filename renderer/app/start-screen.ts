import { loaderOf } from './screen-loaders.ts';

/**
 * A script of its own, before the page's entry: asks for the files of the screen in the address while the browser still reads
 * that entry. The router finds them loaded; what fails here it asks for again, and says so.
 */
loaderOf(location.pathname)
  ?.load()
  .catch(() => undefined);

import type { RouteDescription } from './route-description.ts';
import type { RouteExample } from './route-examples.ts';

export interface CodeSample {
  lang: 'Shell';
  label: 'curl';
  source: string;
}

/**
 * A call as one command of the shell. `$HOMEPORT_KEY` is a secret key; other variables are what an earlier call gave.
 * Throws when the example leaves a parameter of the path open.
 */
export function curlSample(
  method: string,
  path: string,
  { access, example }: Pick<RouteDescription, 'access'> & { example: RouteExample | undefined },
  serverUrl: string,
): CodeSample {
  const address = example?.path ?? path;
  if (/\/[:*{]/.test(address)) throw new Error(`The example of ${method} ${path} does not fill its path.`);
  const key = access === 'public' ? {} : { authorization: 'Bearer $HOMEPORT_KEY' };
  const type = example?.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = Object.entries({ ...key, ...type, ...example?.headers });
  const parts = [
    // Brackets of a query are no pattern.
    `curl${address.includes('[') ? ' --globoff' : ''}${method === 'GET' ? '' : ` -X ${method}`} "${serverUrl}${address}"`,
    ...headers.map(([name, value]) => `-H "${capitalised(name)}: ${value}"`),
    ...(example?.body === undefined ? [] : [`-d ${quoted(JSON.stringify(example.body))}`]),
  ];
  return { lang: 'Shell', label: 'curl', source: parts.join(' \\\n  ') };
}

/** For a POSIX shell: nothing in it is special but the variables, which stand outside of the quotes. */
function quoted(json: string): string {
  const text = json.replaceAll("'", String.raw`'\''`);
  return `'${text.replace(/"\$([A-Z_]+)( as number)?"/g, (_, name, isNumber) => (isNumber ? `'"$${name}"'` : `"'"$${name}"'"`))}'`;
}

function capitalised(name: string): string {
  return name.replace(/(^|-)\w/g, (letter) => letter.toUpperCase());
}

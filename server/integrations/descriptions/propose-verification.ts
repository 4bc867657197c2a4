import type { AuthChoice } from './auth-choices.ts';
import type { DescribedOperation } from './operations.ts';
import type { Description } from './read-description.ts';

/** Requests that tell who somebody is come first, then short ones. */
const LIKELY: readonly RegExp[] = [
  /\/(?:me|self|whoami|current[_-]?user|viewer)\/?$/i,
  /\/(?:users?|accounts?|members?)\/(?:me|self|current)\/?$/i,
  /\/(?:user|account|profile|userinfo|validate|auth[._-]test|tokeninfo|token)\/?$/i,
  /\/(?:workspaces?|teams?|organi[sz]ations?|projects?|accounts|users)\/?$/i,
];

/** A request that only reads, needs no values and fails with wrong credentials; undefined when there is none. */
export function proposeVerification(
  description: Description,
  operations: DescribedOperation[],
  chosen: AuthChoice | undefined,
): { method: 'GET'; endpoints: string[] } | undefined {
  if (!chosen || chosen.mode === 'NONE') return undefined;
  const names = chosen.name.replace(/:clientCredentials$/, '').split('+');
  const general = Array.isArray(description.document['security']) ? description.document['security'] : [];
  const isProtected = ({ security = general }: DescribedOperation): boolean =>
    security.length > 0 && security.every((one) => Object.keys(one).length > 0);
  const isTaken = ({ security = general }: DescribedOperation): boolean =>
    security.some((one) => names.every((name) => Object.hasOwn(one, name)));
  const free = operations.filter(
    (one) =>
      one.method === 'GET' &&
      !one.isDeprecated &&
      !one.path.includes('{') &&
      one.parameters.every(({ isRequired, in: place }) => !isRequired || place === 'header'),
  );
  const saysNothing = !operations.some(isProtected);
  const usable = free.filter((one) => saysNothing || (isProtected(one) && isTaken(one)));
  const rank = ({ path }: DescribedOperation): number => {
    const at = LIKELY.findIndex((pattern) => pattern.test(path));
    return at === -1 ? LIKELY.length : at;
  };
  const [best] = usable.toSorted((a, b) => rank(a) - rank(b) || a.path.length - b.path.length);
  // Without a statement about security, only a request about the caller is sure to need credentials.
  if (!best || (saysNothing && rank(best) > 2)) return undefined;
  return { method: 'GET', endpoints: [best.path] };
}

import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CredentialPart } from '../proxy/proxy.service.ts';

/** One part of the credential and the environment variables that hold its placeholder. */
export interface PartVariables {
  part: CredentialPart;
  names: readonly string[];
}

/**
 * Names of environment variables for the parts of a credential: those that the person gave, else those of the entry,
 * else `<PROVIDER>_TOKEN`, or `<PROVIDER>_USERNAME` and `<PROVIDER>_PASSWORD`.
 */
export function variablesOf(
  providerName: string,
  entry: ProviderEntry,
  { named, parts }: { named: readonly string[]; parts: Iterable<CredentialPart> },
): PartVariables[] {
  const prefix = providerName
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');
  const all = [...parts];
  // A variable that a person names, or a program expects, holds one text: the secret one.
  const main = all.includes('password') ? 'password' : 'token';
  const given = named.length > 0 ? named : (entry.programs?.variables ?? []);
  return all.map((part) => ({
    part,
    names: part === main && given.length > 0 ? given : [`${prefix}_${part.toUpperCase()}`],
  }));
}

/** Throws `invalid_body` for two placeholders with one name. */
export function addVariable(variables: Map<string, string>, name: string, placeholder: string, owner: string): void {
  if (variables.has(name))
    throw new HomeportError(
      'invalid_body',
      `Two connections of this run want the variable ${name}. Name another one for ${owner}: --env NAME=${owner}`,
    );
  variables.set(name, placeholder);
}

/**
 * Git sends no token of a variable by itself. These settings of the environment make it send the placeholder to the
 * provider's host.
 */
export function gitSettings(
  address: string,
  username: string,
  placeholder: string,
): Array<[name: string, value: string]> {
  const basic = Buffer.from(`${username}:${placeholder}`).toString('base64');
  return [[`http.${address.replace(/\/$/, '')}/.extraHeader`, `Authorization: Basic ${basic}`]];
}

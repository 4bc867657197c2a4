import type { Variable } from '../../environments/environment.service.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { PlaygroundRequest } from '../dashboard-playground.contract.ts';
import { fillReferences, referencedVariables } from '../request-variables.contract.ts';

type ProxyRequest = Extract<PlaygroundRequest, { kind: 'proxy' }>;

/** Names in an error message. */
const MAX_NAMED = 10;

/**
 * The request with the values of the variables that it refers to, encoded for their place, and the secret ones among
 * these values. Throws `invalid_body` for names that the environment does not have.
 */
export function fillVariables(
  request: ProxyRequest,
  variables: readonly Variable[],
): { request: ProxyRequest; secrets: string[] } {
  const known = new Map(variables.map((variable) => [variable.name, variable]));
  const used = referencedVariables(textsOf(request));
  const unknown = used.filter((name) => !known.has(name));
  if (unknown.length > 0) throw unknownVariables(unknown);
  const valueFor = (name: string): string => known.get(name)?.value ?? '';
  const fill = (text: string): string => fillReferences(text, valueFor);
  return {
    request: {
      ...request,
      endpoint: fillAddress(request.endpoint, valueFor),
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [fill(name), fill(value)])),
      ...(request.body === undefined
        ? {}
        : { body: isJson(request) ? fillJson(request.body, valueFor) : fill(request.body) }),
      fields: request.fields.map((field) => ({ ...field, name: fill(field.name), value: fill(field.value) })),
    },
    secrets: used.flatMap((name) => (known.get(name)?.isPlain ? [] : valueFor(name))),
  };
}

function textsOf({ endpoint, headers, body = '', fields }: ProxyRequest): string[] {
  return [endpoint, ...Object.entries(headers).flat(), body, ...fields.flatMap(({ name, value }) => [name, value])];
}

function unknownVariables(names: readonly string[]): HomeportError {
  const shown = names.slice(0, MAX_NAMED).map((name) => `"${name}"`);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return new HomeportError(
    'invalid_body',
    `The environment has no ${names.length === 1 ? 'variable' : 'variables'} ${shown.join(', ')}${more}. Add it in the settings, or write \\{{…}} for braces that are sent as they are.`,
  );
}

/** In the path a slash stays, in the query nothing of a value separates parameters. */
function fillAddress(endpoint: string, valueFor: (name: string) => string): string {
  const at = endpoint.indexOf('?');
  const path = at < 0 ? endpoint : endpoint.slice(0, at);
  const query = at < 0 ? '' : endpoint.slice(at);
  return (
    fillReferences(path, (name) => encodePart(valueFor(name)).replaceAll('%2F', '/')) +
    fillReferences(query, (name) => encodePart(valueFor(name)))
  );
}

/** Half of a surrogate pair cannot be encoded. */
const encodePart = (value: string): string => encodeURIComponent(value.toWellFormed());

/** A body is JSON unless its type says something else. */
function isJson({ bodyType, headers }: ProxyRequest): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return bodyType === 'json' && (type === undefined || /json/i.test(type));
}

/** Inside of a string, a value is written as a part of it; elsewhere it is JSON itself, such as a number. */
function fillJson(text: string, valueFor: (name: string) => string): string {
  let isInString = false;
  let read = 0;
  return fillReferences(text, (name, at) => {
    for (; read < at; read += 1) {
      if (isInString && text[read] === '\\') read += 1;
      else if (text[read] === '"') isInString = !isInString;
    }
    const value = valueFor(name);
    return isInString ? JSON.stringify(value).slice(1, -1) : value;
  });
}

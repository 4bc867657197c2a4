import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { readNamedSource } from '../project/json-argument.ts';

type Sources = Pick<CliContext, 'cwd' | 'terminal'>;

/**
 * The members that `-f key=text` and `-F key=value` name, as `gh api` reads them: `a[b]=1` is a member of an object,
 * `a[]=1` an item of a list. `-F` turns true, false, null and numbers into themselves, and `@file` (`@-`: standard
 * input) into a file's text.
 */
export async function readFields(
  texts: readonly string[],
  typed: readonly string[],
  from: Sources,
): Promise<FieldMembers> {
  const members: FieldMembers = {};
  for (const text of texts) {
    const [path, value] = splitField('-f', text);
    setMember(members, path, value);
  }
  for (const text of typed) {
    const [path, value] = splitField('-F', text);
    setMember(members, path, await typedValue(value, from));
  }
  return members;
}

export type FieldMembers = { [name: string]: unknown };

function splitField(option: string, text: string): [path: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CliFailure(`${option} takes name=value, not "${text}".`, EXIT.usage);
}

async function typedValue(text: string, from: Sources): Promise<unknown> {
  if (text.startsWith('@')) return readNamedSource('-F', text.slice(1), from);
  if (text === 'true' || text === 'false' || text === 'null') return JSON.parse(text);
  const isWhole = /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text));
  return isWhole ? Number(text) : text;
}

/** Names that would reach what every object inherits. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

function setMember(members: FieldMembers, path: string, value: unknown): void {
  const names = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(path);
  if (!names) throw new CliFailure(`"${path}" is not a name such as a, a[b] or a[].`, EXIT.usage);
  const steps = [names[1] ?? '', ...[...(names[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step ?? '')];
  if (steps.some((step) => FORBIDDEN.includes(step)))
    throw new CliFailure(`"${path}" is not allowed here.`, EXIT.usage);
  let place: FieldMembers | unknown[] = members;
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1];
    const inner: unknown = next === undefined ? value : next === '' ? [] : {};
    if (Array.isArray(place)) {
      if (step !== '') throw mixed(path);
      // `a[][b]=1 a[][c]=2` are members of one item until a name comes again.
      const last: unknown = place.at(-1);
      const continues =
        next !== undefined &&
        next !== '' &&
        typeof last === 'object' &&
        last !== null &&
        !Array.isArray(last) &&
        !(next in last);
      if (continues) place = last as FieldMembers;
      else {
        place.push(inner);
        place = inner as FieldMembers;
      }
      continue;
    }
    if (step === '') throw mixed(path);
    const present = place[step];
    if (next === undefined) place[step] = value;
    else if (present === undefined) place[step] = inner;
    else if (typeof present !== 'object' || present === null || Array.isArray(present) !== (next === ''))
      throw mixed(path);
    place = place[step] as FieldMembers;
  }
}

const mixed = (path: string): CliFailure =>
  new CliFailure(
    `"${path}" does not fit the fields before it: a name is either a value, a list or an object.`,
    EXIT.usage,
  );

/** Query parameters: lists as repeated names. Objects do not fit into an address. */
export function addToQuery(url: URL, members: FieldMembers): void {
  for (const [name, value] of Object.entries(members)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'object' && one !== null)
        throw new CliFailure(
          `"${name}" is an object, which a GET request cannot carry. Use another method.`,
          EXIT.usage,
        );
      url.searchParams.append(name, one === null ? 'null' : String(one));
    }
  }
}

import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { kebab, lastWord, plural, singular } from './function-names.ts';
import {
  type DescribedOperation,
  type DescribedParameter,
  hasType,
  objectOf,
  propertiesOf,
  responseSchema,
  textOf,
} from './operations.ts';
import { listPath, type Paging, pagingOf } from './propose-paging.ts';
import type { Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;

/** What a function of an operation will be, and what a person should look at. */
export type FunctionPlan = SyncPlan | ActionPlan;

export interface ActionPlan {
  kind: 'action';
  name: string;
  notes: string[];
  /** Path of a list in the response, which a sync could copy; undefined without one. */
  list: string | undefined;
}

export interface SyncPlan {
  kind: 'sync';
  name: string;
  notes: string[];
  /** Path of the list in the response: empty when the response is the list itself. */
  list: string;
  item: JsonObject;
  noun: string;
  /** The member that tells items apart; undefined when none clearly does. */
  idField: string | undefined;
  paging: Paging | undefined;
  /** The parameter that asks for what changed. */
  since: DescribedParameter | undefined;
  /** Parameters of the path and the query that the list needs. */
  required: DescribedParameter[];
}

export interface WantedFunction {
  /** Default: a sync for a list, except in one object named by its id; else an action. */
  kind?: 'sync' | 'action' | undefined;
  name?: string | undefined;
}

const CHANGED_SINCE =
  /^(?:since|if_modified_since|(?:updated|modified|changed|last_?(?:updated|modified|edited))_?(?:since|after|from|min|gte|at_?(?:min|gte|after|from))|min_updated(?:_?at)?)$/i;

/** Decides what the operation becomes. Throws `invalid_body` for a sync of an operation that returns no list. */
export function planFunction(
  description: Description,
  operation: DescribedOperation,
  { kind, name }: WantedFunction = {},
): FunctionPlan {
  const { method, path } = operation;
  const list = method === 'GET' ? listPath(description, responseSchema(description, operation)) : undefined;
  // One object, named by its id, may hold lists of its own.
  const isOne = path.endsWith('}') && list !== '';
  if ((kind ?? (list === undefined || isOne ? 'action' : 'sync')) === 'action') {
    const notes = saysWhatItAnswers(description, operation)
      ? []
      : ['The description does not say what it answers: the action returns nothing.'];
    return { kind: 'action', name: name ?? actionName(operation), notes, list };
  }
  if (list === undefined)
    throw new HomeportError(
      'invalid_body',
      `${method} ${path} returns no list, so it is no sync. Write it as an action.`,
    );
  return planSync(description, operation, list, name);
}

function planSync(
  description: Description,
  operation: DescribedOperation,
  list: string,
  name: string | undefined,
): SyncPlan {
  const { item, itemName } = itemOf(description, operation, list);
  const noun = itemName ?? singular(lastWord(operation.path));
  const idField = idOf(description, item);
  const paging = pagingOf(description, operation);
  const required = operation.parameters.filter(({ in: place, isRequired }) => isRequired && place !== 'header');
  const needed = required.map((one) => one.name).join(', ');
  return {
    kind: 'sync',
    name: name ?? `fetch-${kebab(plural(noun))}`,
    notes: [
      ...(paging ? [] : ['The description does not say how the list is paged: check that all of it is read.']),
      ...(needed === '' ? [] : [`The list needs ${needed}: the sync reads them from the metadata of the connection.`]),
      ...(idField === undefined
        ? ['The items have no member that is clearly their id: say in toRecord what tells them apart.']
        : []),
    ],
    list,
    item,
    noun,
    idField,
    paging,
    since: operation.parameters.find((one) => one.in === 'query' && CHANGED_SINCE.test(one.name)),
    required,
  };
}

const actionName = ({ id, method, path }: DescribedOperation): string =>
  kebab(id || `${method} ${path.replaceAll(/[{}]/g, '')}`);

/** A schema of the answer, or a status that has none. */
function saysWhatItAnswers(description: Description, operation: DescribedOperation): boolean {
  return responseSchema(description, operation) !== undefined || '204' in objectOf(operation.raw['responses']);
}

function itemOf(
  description: Description,
  operation: DescribedOperation,
  list: string,
): { item: JsonObject; itemName: string | undefined } {
  let schema = description.resolve(responseSchema(description, operation));
  for (const part of list === '' ? [] : list.split('.')) schema = propertiesOf(description, schema).get(part);
  const items = objectOf(schema?.['items']);
  const reference = textOf(items['$ref']).split('/').at(-1);
  const isName = reference !== undefined && /^[A-Za-z][A-Za-z0-9_-]{1,40}$/.test(reference);
  return { item: description.resolve(items) ?? {}, itemName: isName ? reference : undefined };
}

function idOf(description: Description, item: JsonObject): string | undefined {
  const names = [...propertiesOf(description, item)]
    .filter(([, one]) => hasType(one, 'string') || hasType(one, 'integer') || hasType(one, 'number'))
    .map(([name]) => name);
  const order = [
    ...['id', '_id', 'uuid', 'guid', 'gid', 'uid', 'identifier', 'key', 'number', 'code', 'slug', 'login', 'email'],
    ...['sha', 'path', 'url', 'name', 'title'],
  ];
  return (
    order.map((one) => names.find((name) => name.toLowerCase() === one)).find((one) => one !== undefined) ??
    names.find((name) => /(?:_id|Id)$/.test(name))
  );
}

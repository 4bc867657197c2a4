import {
  METHODS_WITH_BODY,
  type PlaygroundRequest,
  type PlaygroundRequestInput,
  type PlaygroundRun,
  type ProxyMethod,
  type SavableRequest,
} from '../../api/contract.ts';
import type { PlaygroundTarget } from '../../components/shell-context.ts';
import { type KeyValue, toRecord } from '../../lib/key-values.ts';
import { readTime } from '../../lib/shown-zone.ts';

/** The hub's limit for one file. */
export const MAX_FILE_BYTES = 10_000_000;

export type Kind = PlaygroundRequest['kind'];

/** Whether the hub sends a body with the method. */
export const takesBody = (method: ProxyMethod): boolean => METHODS_WITH_BODY.has(method);

export type BodyType = Extract<PlaygroundRequest, { kind: 'proxy' }>['bodyType'] | 'none';

/** A field of a form body; with `file` a part of a multipart body. */
export interface BodyField extends KeyValue {
  file?: Extract<PlaygroundRequest, { kind: 'proxy' }>['fields'][number]['file'];
}

/** The values of the form, even while they do not make a valid request. JSON values are text. */
export interface Draft {
  kind: Kind;
  integrationKey: string;
  connectionId: string;
  name: string;
  mode: 'live' | 'dry' | 'replay';
  input: string;
  isFull: boolean;
  metadata: string;
  checkpoint: string;
  method: ProxyMethod;
  /** Path and query. */
  endpoint: string;
  headers: KeyValue[];
  bodyType: BodyType;
  body: string;
  fields: BodyField[];
  /** Replaces the provider's own address; empty: use it. */
  baseUrl: string;
  retries: number;
  webhookId: string;
  /** For a sync or records. */
  variant: string;
  model: string;
  limit: number;
  filter: string[];
  /** One per line. */
  ids: string;
  modifiedAfter: string;
  cursor: string;
}

export const EMPTY_DRAFT: Draft = {
  kind: 'action',
  integrationKey: '',
  connectionId: '',
  name: '',
  mode: 'live',
  input: '',
  isFull: false,
  metadata: '',
  checkpoint: '',
  method: 'GET',
  endpoint: '',
  headers: [],
  bodyType: 'json',
  body: '',
  fields: [],
  baseUrl: '',
  retries: 0,
  webhookId: '',
  variant: 'base',
  model: '',
  limit: 100,
  filter: [],
  ids: '',
  modifiedAfter: '',
  cursor: '',
};

/** Inputs of the functions that were left, by function. */
export type LeftInputs = Readonly<Record<string, string>>;

const MAX_LEFT = 20;

const functionOf = ({ kind, integrationKey, name }: Draft): string => JSON.stringify([kind, integrationKey, name]);

/** What is kept when one draft follows another: the input of a function that is left, until that function is back. */
export function leaveInput(left: LeftInputs, old: Draft, next: Draft): { left: LeftInputs; draft: Draft } {
  const [from, to] = [functionOf(old), functionOf(next)];
  if (from === to) return { left, draft: next };
  const { [from]: _, [to]: back, ...others } = left;
  const kept = [...Object.entries(others), ...(old.input.trim() === '' ? [] : [[from, old.input] as const])];
  // What was given with the function is newer than what was left there.
  const draft = next.input === '' && back !== undefined ? { ...next, input: back } : next;
  return { left: Object.fromEntries(kept.slice(-MAX_LEFT)), draft };
}

/**
 * The draft with the given values; a change of function or integration clears the input. A replay does not go over to
 * another function, which may have no fixture: that one starts in `ownMode`.
 */
export function draftFor(old: Draft, target: Omit<PlaygroundTarget, 'runId'>, ownMode: Draft['mode']): Draft {
  const differs = (name: 'kind' | 'name' | 'integrationKey'): boolean =>
    target[name] !== undefined && target[name] !== old[name];
  const isOther = differs('name') || differs('integrationKey');
  const kept = isOther ? { ...old, name: '', input: '', connectionId: '', webhookId: '' } : old;
  const mode = old.mode === 'replay' && (isOther || differs('kind')) ? ownMode : old.mode;
  const given = Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined));
  return { ...kept, mode, ...given };
}

/** The draft from which a run was made. */
export function draftOf(request: PlaygroundRequest): Draft {
  const pretty = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));
  const { integrationKey, connectionId } = request;
  const target = { ...EMPTY_DRAFT, integrationKey, connectionId };
  switch (request.kind) {
    case 'action':
      return { ...target, kind: 'action', name: request.name, mode: request.mode, input: pretty(request.input) };
    case 'sync': {
      const { name, mode, isFull, metadata, checkpoint, variant } = request;
      return {
        ...target,
        kind: 'sync',
        name,
        mode,
        isFull,
        variant,
        metadata: pretty(metadata),
        checkpoint: pretty(checkpoint),
      };
    }
    case 'proxy': {
      const { method, endpoint, bodyType, body = '', baseUrlOverride: baseUrl = '', retries } = request;
      const headers = Object.entries(request.headers).map(([key, value]) => ({ key, value }));
      const fields = request.fields.map(({ name: key, value, file }) => ({ key, value, ...(file ? { file } : {}) }));
      const way = { endpoint, headers, bodyType, body, fields, baseUrl, retries };
      return { ...target, kind: 'proxy', method, ...way };
    }
    case 'webhook':
      return { ...target, kind: 'webhook', webhookId: request.webhookId };
    case 'event':
      return { ...target, kind: 'event', name: request.name };
    case 'records': {
      const { model, variant, limit, filter, modifiedAfter = '', cursor = '' } = request;
      const ids = request.ids.join('\n');
      return { ...target, kind: 'records', model, variant, limit, filter, modifiedAfter, cursor, ids };
    }
  }
}

/** The request, or a sentence that says why there is none yet. */
export function requestOf(draft: Draft): { request: PlaygroundRequestInput } | { problem: string } {
  const { connectionId, integrationKey, kind, mode, name } = draft;
  if (connectionId === '') return { problem: 'Choose a connection to run with.' };
  const target = { integrationKey, connectionId };
  if (kind === 'proxy') {
    if (draft.endpoint.trim() === '')
      return { problem: 'Write the path that the request goes to, for example /v1/users.' };
    const { method, retries } = draft;
    const body = bodyOf(draft);
    if ('problem' in body) return body;
    const endpoint = draft.endpoint.trim();
    const baseUrl = draft.baseUrl.trim();
    if (baseUrl !== '' && !URL.canParse(baseUrl))
      return { problem: 'The base address has to begin with https:// or http://, or be empty.' };
    return {
      request: {
        kind,
        ...target,
        method,
        endpoint,
        headers: toRecord(draft.headers),
        ...body,
        ...(baseUrl === '' ? {} : { baseUrlOverride: baseUrl }),
        ...(retries === 0 ? {} : { retries }),
      },
    };
  }
  if (kind === 'webhook') {
    if (draft.webhookId === '') return { problem: 'Choose the webhook to replay.' };
    return { request: { kind, ...target, webhookId: draft.webhookId } };
  }
  if (kind === 'records') return recordsRequestOf(draft);
  if (name === '') return { problem: `Choose the ${kind === 'event' ? 'event handler' : kind} to run.` };
  if (kind === 'event') return { request: { kind, ...target, name } };
  if (kind === 'action') {
    if (mode === 'replay') return { request: { kind, ...target, name, mode } };
    const input = readJsonText(draft.input);
    if ('problem' in input) return { problem: `The input is not JSON: ${input.problem}` };
    return { request: { kind, ...target, name, mode, ...(input.value === undefined ? {} : { input: input.value }) } };
  }
  if (mode === 'replay') return { request: { kind, ...target, name, mode } };
  const metadata = readJsonText(draft.metadata);
  const checkpoint = readJsonText(draft.checkpoint);
  if (!isObject(metadata)) return { problem: 'Metadata has to be a JSON object, or empty.' };
  if (!isObject(checkpoint)) return { problem: 'The checkpoint has to be a JSON object, or empty.' };
  const start = {
    ...(metadata.value === undefined ? {} : { metadata: metadata.value }),
    ...(checkpoint.value === undefined ? {} : { checkpoint: checkpoint.value }),
  };
  const variant = draft.variant.trim();
  const how = { ...(variant === '' || variant === 'base' ? {} : { variant }) };
  return { request: { kind, ...target, name, mode, ...how, ...(mode === 'live' ? { isFull: draft.isFull } : start) } };
}

type ProxyInput = Extract<PlaygroundRequestInput, { kind: 'proxy' }>;

/** The body as the hub takes it, without default values; or why it cannot be sent. */
function bodyOf({
  body,
  bodyType,
  fields,
  method,
}: Draft): Pick<ProxyInput, 'body' | 'bodyType' | 'fields'> | { problem: string } {
  if (!takesBody(method) || bodyType === 'none') return {};
  if (bodyType === 'json') return body === '' ? {} : { body };
  if (bodyType === 'text') return body === '' ? {} : { body, bodyType };
  const named = fields.filter(({ key, value, file }) => key !== '' || value !== '' || file);
  const files = named.flatMap(({ file }) => file ?? []);
  if (bodyType === 'form' && files.length > 0)
    return { problem: 'A form of this kind sends no files. Choose Multipart, or remove them.' };
  const lost = files.find(({ base64 }) => base64 === null);
  if (lost) return { problem: `Choose the file ${lost.name} again: its content is not kept.` };
  return {
    bodyType,
    fields: named.map(({ key: name, value, file }) => ({ name, value, ...(file ? { file } : {}) })),
  };
}

const RECORD_ACTIONS = ['added', 'updated', 'deleted'] as const;

function recordsRequestOf(draft: Draft): ReturnType<typeof requestOf> {
  const { connectionId, integrationKey, limit } = draft;
  const [model, variant, cursor, since] = [draft.model, draft.variant, draft.cursor, draft.modifiedAfter].map((text) =>
    text.trim(),
  );
  if (!model) return { problem: 'Choose the model whose records to read.' };
  const modifiedAfter = since ? readTime(since) : undefined;
  if (since && modifiedAfter === undefined)
    return { problem: '“Changed after” has to be a time like 2026-01-31T12:00:00Z, or empty.' };
  const ids = draft.ids.split('\n').flatMap((line) => line.trim() || []);
  if (ids.length > MAX_IDS) return { problem: `At most ${MAX_IDS} IDs can be asked for at once.` };
  const filter = RECORD_ACTIONS.filter((one) => draft.filter.includes(one));
  return {
    request: {
      ...{ kind: 'records', integrationKey, connectionId, model, limit },
      ...(variant ? { variant } : {}),
      ...(filter.length > 0 ? { filter } : {}),
      ...(ids.length > 0 ? { ids } : {}),
      ...(modifiedAfter ? { modifiedAfter } : {}),
      ...(cursor ? { cursor } : {}),
    },
  };
}

const MAX_IDS = 100;

/** A saved input with the connection of the draft; a draft that stores nothing keeps storing nothing. */
export function withInput(draft: Draft, request: SavableRequest): Draft {
  const { connectionId, integrationKey } = draft;
  const saved = draftOf({ ...request, connectionId, integrationKey });
  const mode = saved.mode === 'replay' ? 'live' : saved.mode;
  return { ...saved, mode: draft.mode === 'live' ? mode : 'dry' };
}

/** The draft with the names of its files only. */
export function withoutContents(draft: Draft): Draft {
  const fields = draft.fields.map((field) =>
    field.file ? { ...field, file: { ...field.file, base64: null } } : field,
  );
  return { ...draft, fields };
}

/** A saved request, also of another integration: then a connection of that one has to be chosen. */
export function withRequest(draft: Draft, request: SavableRequest): Draft {
  const isOwn = request.integrationKey === draft.integrationKey;
  const { integrationKey } = request;
  return withInput(isOwn ? draft : { ...draft, integrationKey, connectionId: '' }, request);
}

/** The part of a draft that can be saved under a name. */
export type SavableInput = Extract<PlaygroundRequestInput, { kind: SavableRequest['kind'] }>;

export const isSavable = (request: PlaygroundRequestInput): request is SavableInput =>
  request.kind === 'action' || request.kind === 'sync' || request.kind === 'proxy';

/** Whether two requests are the same except for connection and mode. */
export function sameInput(one: SavableRequest, other: SavableInput): boolean {
  const text = (request: PlaygroundRequestInput): string =>
    sortedJson({ ...EMPTY_REQUEST, ...withoutFiles(request), connectionId: '', integrationKey: '', mode: '' });
  return text(one) === text(other);
}

/** Default values that the hub adds to a request. */
const EMPTY_REQUEST = { variant: 'base', isFull: false, headers: {}, retries: 0, bodyType: 'json', fields: [] };

/** Contents of files are not saved. */
function withoutFiles(request: PlaygroundRequestInput): PlaygroundRequestInput {
  if (request.kind !== 'proxy' || !request.fields) return request;
  const fields = request.fields.map((field) =>
    field.file ? { ...field, file: { ...field.file, base64: null } } : field,
  );
  return { ...request, fields };
}

/** The result of a run without its times, as text with sorted members: equal results give equal texts. */
export function comparableResult({ effects, error, output, response, state }: PlaygroundRun): string {
  const body = response && readJsonText(response.body);
  return sortedJson({
    state,
    ...(error ? { error } : {}),
    ...(response ? { status: response.status, body: body && 'value' in body ? body.value : response.body } : {}),
    ...(effects ? { effects } : {}),
    ...(error || response || effects ? {} : { output }),
  });
}

function sortedJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_name, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    2,
  );
}

/** The JSON value of a text; undefined for an empty one. */
export function readJsonText(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: error.message };
    throw error;
  }
}

function isObject(
  read: { value: unknown } | { problem: string },
): read is { value: Record<string, unknown> | undefined } {
  if ('problem' in read) return false;
  return (
    read.value === undefined || (typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value))
  );
}

export function runTitle({ request }: PlaygroundRun): string {
  if (request.kind === 'proxy') return `${request.method} ${request.endpoint}`;
  if (request.kind === 'webhook') return 'Webhook';
  if (request.kind === 'records') return `Records of ${request.model}`;
  if (request.kind === 'event') return request.name;
  const how = { live: '', dry: ', dry run', replay: ', replay' };
  return request.name + how[request.mode];
}

/** Whether a run is one of what the draft names; its input and mode may be others. */
export function isRunOf({ request }: PlaygroundRun, draft: Draft): boolean {
  const { integrationKey, kind, name } = draftOf(request);
  if (kind !== draft.kind || integrationKey !== draft.integrationKey) return false;
  return !('name' in request) || name === draft.name;
}

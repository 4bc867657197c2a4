import { describe, expect, it } from 'vitest';
import type { PlaygroundRun } from '../../api/contract.ts';
import {
  comparableResult,
  type Draft,
  draftFor,
  draftOf,
  EMPTY_DRAFT,
  isRunOf,
  requestOf,
  sameInput,
  withInput,
} from './playground-draft.ts';

const target = { integrationKey: 'crm', connectionId: 'me' };
const action = { ...EMPTY_DRAFT, ...target, name: 'send', input: '{ "a": 1 }' };

describe('requestOf', () => {
  it('says what is missing, one thing at a time', () => {
    expect(requestOf(EMPTY_DRAFT)).toEqual({ problem: 'Choose a connection to run with.' });
    expect(requestOf({ ...action, name: '' })).toEqual({ problem: 'Choose the action to run.' });
    expect(requestOf({ ...action, input: '{' })).toMatchObject({ problem: expect.stringContaining('not JSON') });
    expect(requestOf({ ...action, kind: 'sync', mode: 'dry', metadata: '[]' })).toMatchObject({
      problem: expect.stringContaining('Metadata'),
    });
  });

  it('makes the request of an action, and the draft of it again', () => {
    const made = requestOf(action);

    expect(made).toEqual({ request: { kind: 'action', ...target, name: 'send', mode: 'live', input: { a: 1 } } });
    if ('request' in made) expect(requestOf(draftOf(made.request as never))).toEqual(made);
  });
});

describe('requestOf, for records and event handlers', () => {
  const records = { ...EMPTY_DRAFT, ...target, kind: 'records', model: 'Contact' } as const;

  it('sends only filled fields', () => {
    expect(requestOf({ ...records, model: '' })).toMatchObject({ problem: expect.stringContaining('model') });
    expect(requestOf(records)).toEqual({
      request: { kind: 'records', ...target, model: 'Contact', limit: 100, variant: 'base' },
    });
    expect(requestOf({ ...records, modifiedAfter: 'yesterday' })).toMatchObject({
      problem: expect.stringContaining('Changed after'),
    });
    const made = requestOf({ ...records, ids: 'a\n\n b ', filter: ['deleted', 'added'], modifiedAfter: '2026-01-31' });
    expect(made).toMatchObject({
      request: { ids: ['a', 'b'], filter: ['added', 'deleted'], modifiedAfter: '2026-01-31T00:00:00.000Z' },
    });
  });

  it('names the handler, and keeps the base address of a request', () => {
    expect(requestOf({ ...EMPTY_DRAFT, ...target, kind: 'event' })).toEqual({
      problem: 'Choose the event handler to run.',
    });
    const proxy = {
      ...EMPTY_DRAFT,
      ...target,
      kind: 'proxy',
      endpoint: '/a',
      baseUrl: 'https://a.b',
      retries: 2,
    } as const;
    const made = requestOf(proxy);
    expect(made).toMatchObject({ request: { baseUrlOverride: 'https://a.b', retries: 2 } });
    const defaults = { bodyType: 'json', fields: [] };
    if ('request' in made) expect(requestOf(draftOf({ ...defaults, ...made.request } as never))).toMatchObject(made);
  });
});

describe('requestOf, for API calls', () => {
  const call = {
    ...EMPTY_DRAFT,
    ...{ kind: 'proxy', integrationKey: 'acme', connectionId: 'mine', method: 'POST', endpoint: '/v1' },
  } as const;
  const file = { name: 'a.txt', type: 'text/plain', sizeBytes: 1, base64: 'YQ==' };
  const requestIn = (change: object) => {
    const made = requestOf({ ...call, ...change } as Draft);
    return 'request' in made ? made.request : made;
  };

  it('sends the chosen kind of body only, and none with a method that has none', () => {
    const typed = { body: '{}', fields: [{ key: 'a', value: '1' }] };

    expect(requestIn(typed)).toMatchObject({ body: '{}' });
    expect(requestIn({ ...typed, bodyType: 'text' })).toMatchObject({ bodyType: 'text', body: '{}' });
    const form = requestIn({ ...typed, bodyType: 'form' });
    expect(form).toMatchObject({ bodyType: 'form', fields: [{ name: 'a', value: '1' }] });
    expect(form).not.toHaveProperty('body');
    expect(requestIn({ ...typed, bodyType: 'none' })).not.toHaveProperty('body');
    expect(requestIn({ ...typed, method: 'GET' })).not.toHaveProperty('body');
  });

  it('asks again for a file whose content is not kept, and sends none in a form', () => {
    const fields = [{ key: 'f', value: '', file }];

    expect(requestIn({ bodyType: 'multipart', fields })).toMatchObject({ fields: [{ name: 'f', file }] });
    expect(requestIn({ bodyType: 'form', fields })).toHaveProperty('problem');
    const lost = [{ key: 'f', value: '', file: { ...file, base64: null } }];
    expect(requestIn({ bodyType: 'multipart', fields: lost })).toMatchObject({
      problem: expect.stringContaining('a.txt'),
    });
  });

  it('is the saved one although contents of files are not saved', () => {
    const saved = { ...requestIn({ bodyType: 'multipart', fields: [{ key: 'f', value: '', file: { ...file } }] }) };
    const lost = { ...saved, fields: [{ name: 'f', value: '', file: { ...file, base64: null } }] };

    expect(sameInput(lost as never, saved as never)).toBe(true);
  });
});

describe('draftFor', () => {
  it('keeps the input of the same function and no other', () => {
    expect(draftFor(action, { name: 'send' }, 'live').input).toBe(action.input);
    expect(draftFor(action, { name: 'other' }, 'live')).toMatchObject({ name: 'other', input: '', connectionId: '' });
  });

  it('replays the same function and no other, which may have no fixture', () => {
    const replay = { ...action, mode: 'replay' } as const;
    expect(draftFor(replay, { name: 'send' }, 'live').mode).toBe('replay');
    expect(draftFor(replay, { name: 'other' }, 'live').mode).toBe('live');
    expect(draftFor(replay, { name: 'other' }, 'dry').mode).toBe('dry');
    expect(draftFor(replay, { kind: 'sync', name: 'send' }, 'live').mode).toBe('live');
    expect(draftFor({ ...action, mode: 'dry' }, { name: 'other' }, 'live').mode).toBe('dry');
  });
});

describe('a saved input', () => {
  const saved = { kind: 'action', integrationKey: 'crm', connectionId: 'other', name: 'send', mode: 'live' } as const;

  it('is filled in for the connection of the draft, and makes no dry draft a live one', () => {
    expect(withInput({ ...action, input: '' }, { ...saved, input: { b: 2 } })).toMatchObject({
      connectionId: 'me',
      mode: 'live',
      input: '{\n  "b": 2\n}',
    });
    expect(withInput({ ...action, mode: 'dry' }, saved).mode).toBe('dry');
  });

  it('is recognised with another connection, another mode and another order of members', () => {
    const input = { a: 1, b: { c: 2, d: [3] } };
    const other = { ...saved, connectionId: 'me', mode: 'dry', input: { b: { d: [3], c: 2 }, a: 1 } } as const;

    expect(sameInput({ ...saved, input }, other)).toBe(true);
    expect(sameInput({ ...saved, input }, { ...other, input: { ...input, a: 2 } })).toBe(false);
  });
});

describe('comparableResult', () => {
  const run = { state: 'success', output: { b: 1, a: 2 }, response: null, effects: null, error: null };
  const of = (change: object): string => comparableResult({ ...run, ...change } as PlaygroundRun);

  it('is the same text for the same result, whenever it ran and however its members are ordered', () => {
    expect(of({ id: 'x', startedAt: 'now' })).toBe(of({ id: 'y', output: { a: 2, b: 1 } }));
    expect(of({ output: { a: 2, b: 1, c: null } })).not.toBe(of({}));
  });

  it('shows the body of an answer as JSON, and an error in place of an output', () => {
    const response = {
      status: 200,
      headers: [{ name: 'date', value: 'today' }],
      body: '{"z":1,"a":[]}',
      isText: true,
      sizeBytes: 14,
      isCut: false,
    };

    expect(JSON.parse(of({ output: null, response }))).toEqual({
      state: 'success',
      status: 200,
      body: { a: [], z: 1 },
    });
    expect(JSON.parse(of({ state: 'failed', output: null, error: { code: 'x', message: 'y' } }))).toEqual({
      state: 'failed',
      error: { code: 'x', message: 'y' },
    });
  });
});

describe('isRunOf', () => {
  it('ignores the name of a function where none is run', () => {
    const of = (request: PlaygroundRun['request']): PlaygroundRun => ({ request }) as PlaygroundRun;
    const webhook = of({ kind: 'webhook', ...target, webhookId: 'w' });

    expect(isRunOf(webhook, { ...action, kind: 'webhook' })).toBe(true);
    expect(isRunOf(webhook, action)).toBe(false);
    expect(isRunOf(of({ kind: 'event', ...target, name: 'other' }), { ...action, kind: 'event' })).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { draftFor, draftOf, EMPTY_DRAFT, requestOf } from './playground-draft.ts';

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

describe('draftFor', () => {
  it('keeps the input of the same function and no other', () => {
    expect(draftFor(action, { name: 'send' }).input).toBe(action.input);
    expect(draftFor(action, { name: 'other' })).toMatchObject({ name: 'other', input: '', connectionId: '' });
  });
});

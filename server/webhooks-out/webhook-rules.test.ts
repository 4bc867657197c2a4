import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../environments/environment-settings.ts';
import { type AuthEvent, decideSync, destinationsOf, isAuthWanted, type SyncEvent } from './payloads.ts';

const ALL_ON = DEFAULT_SETTINGS.webhook;
const ALL_OFF = {
  ...ALL_ON,
  onAuthCreation: false,
  onAuthRefreshError: false,
  onSyncCompletionAlways: false,
  onSyncError: false,
  onAsyncActionCompletion: false,
};

describe('destinationsOf', () => {
  const one = 'http://one.test/';
  const two = 'http://two.test/';
  const own = 'http://own.test/';

  it.each([
    [null, null, null, []],
    [one, null, null, [one]],
    [null, two, null, [two]],
    [one, two, undefined, [one, two]],
    [one, two, '', [one, two]],
    [one, two, own, [own]],
    [null, null, own, [own]],
  ])('of %s, %s and the override %s', (primaryUrl, secondaryUrl, override, expected) => {
    expect(destinationsOf({ ...ALL_ON, primaryUrl, secondaryUrl }, override)).toEqual(expected);
  });
});

describe('isAuthWanted', () => {
  it.each<[AuthEvent['operation'], boolean, boolean, boolean]>([
    // operation, success, result with everything on, result with everything off
    ['creation', true, true, false],
    ['creation', false, true, false],
    ['override', true, true, true],
    ['override', false, true, true],
    ['refresh', true, false, false],
    ['refresh', false, true, false],
  ])('%s, success %s', (operation, success, on, off) => {
    const event = { operation, success } as AuthEvent;

    expect([isAuthWanted(ALL_ON, event), isAuthWanted(ALL_OFF, event)]).toEqual([on, off]);
  });
});

describe('decideSync', () => {
  const success = (added: number, updated: number, deleted: number): SyncEvent =>
    ({ success: true, responseResults: { added, updated, deleted } }) as SyncEvent;
  const failure = { success: false } as SyncEvent;

  it.each([
    [success(1, 0, 0), 'wanted', 'wanted'],
    [success(0, 1, 0), 'wanted', 'wanted'],
    [success(0, 0, 1), 'wanted', 'wanted'],
    [success(0, 0, 0), 'wanted', 'unchanged'],
    [failure, 'wanted', 'unwanted'],
  ])('%o', (event, on, off) => {
    expect([decideSync(ALL_ON, event), decideSync(ALL_OFF, event)]).toEqual([on, off]);
  });
});

import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['apikey', 'apiKey'],
    ['api_key', 'apiKey'],
    ['usrname', 'username'],
    ['suername', 'username'],
    ['aipKey', 'apiKey'],
    ['HOMEPORT_FUNCTONS', 'HOMEPORT_FUNCTIONS'],
    ['colour', undefined],
    ['', undefined],
  ])('takes %j for %j', (written, meant) => {
    expect(nearestName(written, ['username', 'apiKey', 'HOMEPORT_FUNCTIONS'])).toBe(meant);
  });
});

import { describe, expect, it } from 'vitest';
import { callbackChoices, spellings } from './callback-choices.ts';

const at = (ownUrl: string) => ({ callbackUrl: ownUrl, setting: null, ownUrl, webhookBase: '', port: 4011 });

describe('callbackChoices', () => {
  it('offers the own address, the other name of this computer and a redirector to it', () => {
    const choices = callbackChoices(at('http://localhost:4011/oauth/callback'));

    expect(choices.map(({ setting, url }) => [setting, url])).toEqual([
      ['', 'http://localhost:4011/oauth/callback'],
      ['http://127.0.0.1:4011/oauth/callback', 'http://127.0.0.1:4011/oauth/callback'],
      [
        'https://redirectmeto.com/http://localhost:4011/oauth/callback',
        'https://redirectmeto.com/http://localhost:4011/oauth/callback',
      ],
    ]);
  });

  it('offers both names of this computer beside a public address', () => {
    const choices = callbackChoices(at('https://hub.example.com/oauth/callback'));

    expect(choices.map(({ label }) => label)).toEqual([
      'The public address of this hub',
      'This computer as localhost',
      'This computer as 127.0.0.1',
      'An https redirector in between',
    ]);
  });
});

describe('spellings', () => {
  it('name the port on which the hub listens', () => {
    expect(spellings(at('https://hub.example.com/oauth/callback'))).toEqual({
      localhost: 'http://localhost:4011/oauth/callback',
      '127.0.0.1': 'http://127.0.0.1:4011/oauth/callback',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { incomingSentence, signatureSentence } from './incoming-sentence.ts';

type DescribedWebhook = Parameters<typeof incomingSentence>[0];

const sentenceOf = (part: Partial<DescribedWebhook>): string =>
  incomingSentence({
    ...{ outcome: 'handled', message: null, connectionIds: [], runs: [], forwards: 0, forwardState: null, status: 200 },
    ...part,
  } as DescribedWebhook);
const run = {} as DescribedWebhook['runs'][number];

describe('incomingSentence', () => {
  it.each<[Partial<DescribedWebhook>, string]>([
    [{ outcome: 'ignored' }, 'It matches no connection, and nobody listened.'],
    [{ outcome: 'forwarded', forwards: 1 }, 'It matches no connection, 1 webhook sent to your app.'],
    [
      { outcome: 'failed', connectionIds: ['a'], forwards: 1, forwardState: 'failed' },
      '1 connection, 1 webhook sent to your app, not accepted.',
    ],
    [
      { outcome: 'failed', connectionIds: ['a'], runs: [{ ...run, state: 'failed' }] },
      '1 connection, 1 handler run (1 failed).',
    ],
    [
      { connectionIds: ['a', 'b'], runs: [run], forwards: 2 },
      '2 connections, 1 handler run, 2 webhooks sent to your app.',
    ],
    [{ outcome: 'handshake' }, 'Answered with 200 as the provider asks for; nothing else happened.'],
    [{ outcome: 'refused', message: 'Invalid webhook signature', status: 401 }, 'Invalid webhook signature'],
    [{ outcome: 'error', status: 500 }, 'Answered with 500; nothing else happened.'],
  ])('of %j', (part, sentence) => {
    expect(sentenceOf(part)).toBe(sentence);
  });
});

describe('signatureSentence', () => {
  it.each<[Parameters<typeof signatureSentence>[0], RegExp]>([
    [{ outcome: 'handled', message: null, signature: 'valid' }, /^Valid:/],
    [{ outcome: 'handled', message: null, signature: 'unchecked' }, /anyone who knows the address/],
    [{ outcome: 'handled', message: null, signature: 'unsupported' }, /^Not supported:/],
    [{ outcome: 'refused', message: 'Missing webhook signature', signature: 'invalid' }, /^Invalid: Missing/],
    [
      { outcome: 'refused', message: 'Missing connection ID', signature: null },
      /refused before that \(Missing connection ID\)/,
    ],
    [{ outcome: 'handled', message: null, signature: null }, /^Unknown: it arrived/],
  ])('of %j', (webhook, like) => {
    expect(signatureSentence(webhook)).toMatch(like);
  });
});

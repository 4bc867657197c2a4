import { describe, expect, it } from 'vitest';
import { editedWebhook, pretty } from './edited-webhook.ts';

const webhook = { body: { text: '{"b":1,"a":2}', encoding: 'utf8' as const }, headers: { 'x-a': '1' } };
const headers = JSON.stringify(webhook.headers, null, 2);

describe('editedWebhook', () => {
  it('sends no change when the body was only reformatted', () => {
    expect(editedWebhook(webhook, { body: pretty(webhook.body.text), headers })).toEqual({});
  });

  it.each(['{"id":12345678901234567890}', '{ "a":1 }', 'a=1'])('lays out nothing that would change: %s', (text) => {
    expect(pretty(text)).toBe(text);
  });

  it('sends a changed body as it was written', () => {
    expect(editedWebhook(webhook, { body: '{\n  "b": 3\n}', headers })).toEqual({
      body: { text: '{\n  "b": 3\n}', encoding: 'utf8' },
    });
    expect(editedWebhook(webhook, { body: 'a=1&b=2', headers })).toEqual({
      body: { text: 'a=1&b=2', encoding: 'utf8' },
    });
  });

  it('keeps bytes that are no text in their form', () => {
    const binary = { ...webhook, body: { text: 'AAEC', encoding: 'base64' as const } };

    expect(editedWebhook(binary, { body: 'AAED', headers })).toEqual({ body: { text: 'AAED', encoding: 'base64' } });
  });

  it('sends changed headers by their lower-case names', () => {
    const body = pretty(webhook.body.text);

    expect(editedWebhook(webhook, { body, headers: '{"X-A":"2"}' })).toEqual({ headers: { 'x-a': '2' } });
    expect(editedWebhook(webhook, { body, headers: '{"x-a":2}' })).toHaveProperty('problem');
    expect(editedWebhook(webhook, { body, headers: '[]' })).toHaveProperty('problem');
    expect(editedWebhook(webhook, { body, headers: '{' })).toHaveProperty('problem');
  });

  it('needs a body when none is stored', () => {
    expect(editedWebhook({ ...webhook, body: null }, { body: '{}', headers })).toEqual({
      body: { text: '{}', encoding: 'utf8' },
    });
  });
});

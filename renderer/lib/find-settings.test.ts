import { describe, expect, it } from 'vitest';
import { findSettings } from './find-settings.ts';
import { listSettings } from './settings-index.ts';

const settings = listSettings('dev', false);
const first = (text: string) => findSettings(settings, text)[0]?.label;

describe('findSettings', () => {
  it.each([
    ['dark mode', 'Theme'],
    ['font size', 'Text size'],
    ['rate limit', 'Most API calls per minute'],
    ['redirect uri', 'Callback address'],
    ['otlp', 'Endpoint'],
    ['ngrok', 'Address of the tunnel'],
    ['env', 'Function environment variables'],
    ['timezone', 'Time zone'],
    ['logout', 'Signed-in browsers'],
    ['retention', 'Retention'],
    ['hmac', 'Signing key'],
    ['whitelist', 'Further hosts that callers may reach'],
    ['auto lock', 'Lock automatically'],
    ['remove environment', 'Delete this environment'],
    ['watermark', 'Say that Homeport made it'],
    ['clean up logs', 'Delete logs'],
  ])('finds for “%s” the setting %s', (text, label) => {
    expect(first(text)).toBe(label);
  });

  it('finds words that are spread over label, synonyms and section', () => {
    expect(findSettings(settings, 'webhooks rotate').map(({ label }) => label)).toContain('Signing key');
    expect(findSettings(settings, 'quantum flux')).toEqual([]);
  });

  it('lists settings of the desktop app only there', () => {
    expect(first('autostart')).toBe('Start-up and window');
    expect(findSettings(listSettings('dev', true), 'launch at login')[0]?.label).toBe(
      'Start when I sign in to this computer',
    );
  });

  it('gives each its own address', () => {
    const addresses = listSettings('dev', true).map(({ to }) => to);
    expect(new Set(addresses).size).toBe(addresses.length);
  });
});

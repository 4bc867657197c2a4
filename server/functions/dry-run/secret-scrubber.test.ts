import { describe, expect, it } from 'vitest';
import { SecretScrubber } from './secret-scrubber.ts';

const CANARY = 'canary+7f/3 x';
const learned = (connection: Record<string, unknown>): SecretScrubber => {
  const scrubber = new SecretScrubber();
  scrubber.learnConnection(connection);
  return scrubber;
};

describe('a scrubber', () => {
  it('finds every text of the credentials, at any place and in any encoding of an address', () => {
    const scrubber = learned({
      credentials: { type: 'OAUTH2', access_token: CANARY, raw: { refresh: 'other-secret' } },
    });

    const scrubbed = scrubber.scrub({
      direct: CANARY,
      inside: `before ${CANARY} after`,
      address: `https://x/?k=${encodeURIComponent(CANARY)}`,
      [`key-${CANARY}`]: ['other-secret'],
    });

    expect(JSON.stringify(scrubbed)).not.toContain('canary');
    expect(scrubbed).toEqual({
      direct: 'REDACTED',
      inside: 'before REDACTED after',
      address: 'https://x/?k=REDACTED',
      'key-REDACTED': ['REDACTED'],
    });
  });

  it('knows basic authentication, which hides both parts', () => {
    const scrubber = learned({ credentials: { type: 'BASIC', username: 'someone', password: 'hidden-word' } });

    const header = `Basic ${Buffer.from('someone:hidden-word').toString('base64')}`;

    expect(scrubber.scrub({ sent: header })).toEqual({ sent: 'Basic REDACTED' });
  });

  it('puts an address in the place of an e-mail address of the connection', () => {
    const scrubber = learned({ end_user: { email: 'someone@corp.example' }, credentials: {} });

    expect(scrubber.scrub({ author: 'someone@corp.example', other: 'else@corp.example' })).toEqual({
      author: 'redacted@example.com',
      other: 'else@corp.example',
    });
  });

  it('keeps encoded parts of an address encoded, so that a replay sends the same request', () => {
    const scrubber = learned({ metadata: { calendar: 'team@corp.example' }, credentials: {} });

    expect(scrubber.scrubText('/calendars/team%40corp.example/events?q=team@corp.example')).toBe(
      '/calendars/redacted%40example.com/events?q=redacted@example.com',
    );
  });

  it('does not treat the kind and the dates of credentials as secrets', () => {
    const scrubber = learned({ credentials: { type: 'API_KEY', expires_at: '2026-01-01T00:00:00Z' } });

    const text = 'API_KEY until 2026-01-01T00:00:00Z';

    expect(scrubber.scrub(text)).toBe(text);
  });

  it('knows members that are secret by name, and their values elsewhere', () => {
    const scrubber = new SecretScrubber();
    scrubber.learnMembers({
      user: { api_key: 'sk-123456789', name: 'x' },
      headers: { Authorization: 'Bearer tok-abcdef' },
    });

    const scrubbed = scrubber.scrub({
      url: '/a?key=sk-123456789',
      note: 'tok-abcdef',
      Cookie: 'a=b',
      'set-cookie': ['c=d'],
    });

    expect(scrubbed).toEqual({
      url: '/a?key=REDACTED',
      note: 'REDACTED',
      Cookie: 'REDACTED',
      'set-cookie': ['REDACTED'],
    });
  });

  it.each(['next_page_token', 'pageToken', 'cursor', 'tokens_used', 'secretary', 'author'])(
    'leaves %s alone: replay needs it',
    (name) => {
      expect(new SecretScrubber().scrub({ [name]: 'abcdefgh' })).toEqual({ [name]: 'abcdefgh' });
    },
  );

  it('replaces the longer of two secrets first', () => {
    const scrubber = learned({ credentials: { a: 'secret-one', b: 'secret-one-and-more' } });

    expect(scrubber.scrub('secret-one-and-more')).toBe('REDACTED');
  });
});

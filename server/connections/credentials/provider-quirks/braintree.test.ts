import { describe, expect, it } from 'vitest';
import {
  basicHeader,
  exchangeOf,
  type GivenResponse,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';

const stored = { access_token: 'T0', refresh_token: 'R0' };
const at = `POST ${TOKEN_URL}`;
const headers = {
  accept: 'application/xml',
  'x-apiversion': '6',
  authorization: basicHeader('the-id', 'the-secret'),
};
const xml = (status: number, body: string): GivenResponse => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});
const credentials = xml(
  200,
  `<credentials><access-token>access_token$sandbox$1</access-token><refresh-token>R1</refresh-token>
   <expires-at type="datetime">2026-06-01T13:00:00Z</expires-at><token-type>bearer</token-type></credentials>`,
);

describe.each(['braintree', 'braintree-sandbox'])('%s', (provider) => {
  it('sends JSON and reads XML', async () => {
    const exchange = await exchangeOf(provider, { responses: [credentials] });
    const refresh = await refreshOf(provider, stored, { responses: [credentials] });

    expect(exchange.calls).toEqual([{ at, json: { grant_type: 'authorization_code', code: 'the-code' }, headers }]);
    expect(refresh.calls).toEqual([{ at, json: refreshParams('R0'), headers }]);
    for (const { issued } of [exchange, refresh]) {
      expect(issued.credentials).toMatchObject({
        type: 'OAUTH2',
        access_token: 'access_token$sandbox$1',
        refresh_token: 'R1',
        expires_at: '2026-06-01T13:00:00.000Z',
        raw: { 'token-type': 'bearer' },
      });
    }
  });

  it('says what Braintree refuses', async () => {
    const refused = xml(
      422,
      '<api-error-response><message>Invalid grant: code not found</message></api-error-response>',
    );

    await expect(exchangeOf(provider, { responses: [refused] })).rejects.toMatchObject({
      code: 'token_exchange_failed',
      message: 'The provider gave no tokens (status 422): Invalid grant: code not found.',
    });
  });

  it.each<[string, GivenResponse]>([
    ['a text', { status: 200, body: 'gone' }],
    ['an empty document', xml(200, '')],
    ['a document without members', xml(200, '<credentials>x</credentials>')],
  ])('takes no tokens from %s', async (_what, response) => {
    await expect(refreshOf(provider, stored, { responses: [response] })).rejects.toMatchObject({
      code: 'refresh_token_external_error',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { signOAuth1 } from './oauth1-signature.ts';

/** The example of OAuth Core 1.0, appendix A. */
const request = {
  method: 'GET',
  url: 'http://photos.example.net/photos?file=vacation.jpg&size=original',
  consumer: { key: 'dpf43f3p2l4k3l03', secret: 'kd94hf93k423kf44' },
  token: { key: 'nnch734d00sl2jdk', secret: 'pfkkdhi9sl3r4s00' },
  nonce: 'kllo9940pd9333jh',
  now: 1_191_242_096_000,
} as const;

describe('signOAuth1', () => {
  it('makes the published HMAC-SHA1 signature over URL and query', () => {
    const header = signOAuth1({ ...request, signatureMethod: 'HMAC-SHA1' });

    expect(header).toContain(`oauth_signature="${encodeURIComponent('tR3+Ty81lMeYAr/Fid0kMTYa/WM=')}"`);
    expect(header).not.toContain('vacation');
  });

  it('makes the published PLAINTEXT signature', () => {
    expect(signOAuth1({ ...request, signatureMethod: 'PLAINTEXT' })).toContain(
      'oauth_signature="kd94hf93k423kf44%26pfkkdhi9sl3r4s00"',
    );
  });

  it('puts the realm first', () => {
    expect(signOAuth1({ ...request, signatureMethod: 'HMAC-SHA256', realm: 'TSTDRV1_SB1' })).toMatch(
      /^OAuth realm="TSTDRV1_SB1", ?oauth_consumer_key=/,
    );
  });
});

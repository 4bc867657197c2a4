import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { issueTwoStep } from '../../../server/connections/credentials/auth-modes/issue-two-step.ts';
import type { ProviderDefinition } from '../../../server/integrations/catalog/entry-schema.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { TOKEN_NOW, tokenContext } from '../../support/token-fixture.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let provider: FakeProvider;

beforeEach(async () => {
  provider = await FakeProvider.start();
  provider.on('POST /token', { body: { access_token: 'T' } });
});

afterEach(() => provider.stop());

async function issue(rules: Partial<ProviderDefinition>, given: Record<string, unknown>, now = TOKEN_NOW) {
  const entry = {
    auth_mode: 'TWO_STEP' as const,
    token_url: `${provider.address}/token`,
    token_params: { assertion: '${credentials.assertion}' },
    token_response: { token: 'access_token' },
    ...rules,
  };
  const context = tokenContext({ entry, now: () => now, connectionConfig: { companyId: 'co' } });
  const { credentials } = await issueTwoStep(context, given);
  const sent = JSON.parse(provider.requests.at(-1)!.body.toString()) as { assertion: string };
  return { credentials, sent: sent.assertion };
}

describe('a SAML assertion', () => {
  const assertion = {
    key: '${assertionOption.privateKey}',
    issuer: '${assertionOption.issuer}',
    nameIdentifier: '${credentials.user}',
    recipient: 'https://${connectionConfig.companyId}.test/token',
    audiences: ['www.a.test, www.b.test', '${credentials.none}'],
    attributes: { api_key: '${credentials.apiKey}', none: '${credentials.none}' },
    lifetimeInSeconds: 600,
  };
  const given = { user: 'me & "you"', apiKey: 'k', assertionOption: { privateKey: pem, issuer: 'the issuer' } };
  const decode = (text: string): string => Buffer.from(text, 'base64').toString();

  it('says who, where to and how long, and is stored while its key is not', async () => {
    const { sent, credentials } = await issue({ assertion }, given);

    const xml = decode(sent).replace(/<ds:Signature.*<\/ds:Signature>/s, '');
    const id = `_${'ab'.repeat(16)}`;
    expect(xml).toBe(
      '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Version="2.0"' +
        ` ID="${id}" IssueInstant="2026-06-01T12:00:00.000Z">` +
        '<saml:Issuer>the issuer</saml:Issuer><saml:Subject>' +
        '<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">me &amp; "you"</saml:NameID>' +
        '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData' +
        ' NotOnOrAfter="2026-06-01T12:10:00.000Z" Recipient="https://co.test/token"/></saml:SubjectConfirmation>' +
        '</saml:Subject><saml:Conditions NotBefore="2026-06-01T12:00:00.000Z" NotOnOrAfter="2026-06-01T12:10:00.000Z">' +
        '<saml:AudienceRestriction><saml:Audience>www.a.test</saml:Audience><saml:Audience>www.b.test</saml:Audience>' +
        `</saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="2026-06-01T12:00:00.000Z" SessionIndex="${id}">` +
        '<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified' +
        '</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>' +
        '<saml:Attribute Name="api_key"><saml:AttributeValue>k</saml:AttributeValue></saml:Attribute>' +
        '</saml:AttributeStatement></saml:Assertion>',
    );
    expect(credentials).toMatchObject({ user: given.user, apiKey: 'k', assertion: sent, token: 'T' });
    expect(credentials).not.toHaveProperty('assertionOption');
  });

  it('is signed with RSA-SHA256 over its exclusive canonical form, right behind the issuer', async () => {
    const { sent } = await issue({ assertion }, given);
    const xml = decode(sent);

    expect(xml).toMatch(/<\/saml:Issuer><ds:Signature /);
    expect(xml).toContain('SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"');
    expect(xml).toContain('CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"');
    const bare = xml.replace(/<ds:Signature.*<\/ds:Signature>/s, '').replace(/<([\w:]+)([^<>]*)\/>/g, '<$1$2></$1>');
    const canonical = bare.replace(/(<saml:\w+)((?: [\w:]+="[^"]*")+)/g, (_all, tag: string, rest: string) => {
      const attributes = [...rest.matchAll(/ ([\w:]+)="[^"]*"/g)].map(([text]) => text);
      return (
        tag +
        attributes
          .sort((a, b) => Number(b.startsWith(' xmlns')) - Number(a.startsWith(' xmlns')) || (a < b ? -1 : 1))
          .join('')
      );
    });
    expect(xml).toContain(
      `<ds:DigestValue>${createHash('sha256').update(canonical).digest('base64')}</ds:DigestValue>`,
    );

    const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(xml)![0];
    const checker = new SignedXml({ publicCert: publicKey.export({ type: 'spki', format: 'pem' }).toString() });
    checker.loadSignature(signature);
    expect(checker.checkSignature(xml)).toBe(true);
    const altered = xml.replace('the issuer', 'somebody else');
    const other = new SignedXml({ publicCert: publicKey.export({ type: 'spki', format: 'pem' }).toString() });
    other.loadSignature(signature);
    expect(other.checkSignature(altered)).toBe(false);
  });

  it('carries the certificate when the entry names one', async () => {
    const pair = selfSigned('idp');
    const { sent } = await issue(
      { assertion: { ...assertion, cert: '${assertionOption.cert}' } },
      { ...given, assertionOption: { privateKey: pair.key, issuer: 'i', cert: pair.cert } },
    );

    const body = pair.cert.replace(/-----[^-]+-----|\s/g, '');
    expect(decode(sent)).toContain(`<ds:X509Certificate>${body}</ds:X509Certificate>`);
  });

  it('lasts five minutes and is unsigned when the entry names neither lifetime nor key', async () => {
    const { sent } = await issue({ assertion: { issuer: 'i' } }, { user: 'me' });

    expect(decode(sent)).toContain('NotOnOrAfter="2026-06-01T12:05:00.000Z"');
    expect(decode(sent)).not.toContain('Signature');
  });

  it('is used again until a minute before its end, then needs the key again', async () => {
    const { credentials, sent } = await issue({ assertion }, given);

    const again = await issue({ assertion }, credentials, TOKEN_NOW + 540_000);
    expect(again.sent).toBe(sent);
    expect(again.credentials['assertion']).toBe(sent);
    await expect(issue({ assertion }, credentials, TOKEN_NOW + 540_001)).rejects.toMatchObject({
      code: 'invalid_two_step_credentials',
      message: expect.stringContaining('Reconnect'),
    });
  });

  it('is not built for a refresh call', async () => {
    const rules = { assertion, refresh_token_params: { assertion: 'none', r: '${refresh_token}' } };

    const { sent } = await issue(rules, { user: 'me', refresh_token: 'R' });

    expect(sent).toBe('none');
  });

  it('refuses an invalid key', async () => {
    const broken = { ...given, assertionOption: { privateKey: 'canary', issuer: 'i' } };

    await expect(issue({ assertion }, broken)).rejects.toMatchObject({
      code: 'invalid_two_step_credentials',
      message: expect.not.stringContaining('canary'),
    });
    expect(provider.requests).toEqual([]);
  });
});

describe('a JWT assertion', () => {
  const assertion = {
    type: 'jwt' as const,
    key: '${credentials.privateKey}',
    header: { alg: 'RS256', kid: '${credentials.kid}' },
    payload: { iss: '${credentials.user}', aud: ['${connectionConfig.companyId},b'], none: '${credentials.none}' },
  };
  const given = { user: 'me', privateKey: pem, kid: 'k1' };

  it('is signed with the key, for an hour', async () => {
    const { sent } = await issue({ assertion }, given);

    const { payload, protectedHeader } = await jwtVerify(sent, publicKey, { currentDate: new Date(TOKEN_NOW) });
    expect(protectedHeader).toEqual({ alg: 'RS256', kid: 'k1', typ: 'JWT' });
    expect(payload).toEqual({
      iss: 'me',
      aud: ['co', 'b'],
      iat: TOKEN_NOW / 1_000,
      exp: TOKEN_NOW / 1_000 + 3_600,
    });
  });

  it('is built for each request and not stored when the provider takes it once', async () => {
    const once = { assertion: { ...assertion, singleUse: true } };
    const { sent: reused } = await issue({ assertion }, given);
    const { sent, credentials } = await issue(once, { ...given, assertion: reused, kid: 'k2' });

    expect(decodeProtectedHeader(sent)).toMatchObject({ kid: 'k2' });
    expect(credentials).not.toHaveProperty('assertion');
    expect(credentials).toMatchObject({ kid: 'k2', privateKey: pem });
  });

  it('is signed with a text secret', async () => {
    const { sent } = await issue(
      { assertion: { ...assertion, header: { alg: 'HS256' }, lifetimeInSeconds: 60 } },
      { ...given, privateKey: 'a secret of some length' },
    );

    const secret = Buffer.from('a secret of some length');
    const { payload } = await jwtVerify(sent, secret, { currentDate: new Date(TOKEN_NOW) });
    expect(payload.exp).toBe(TOKEN_NOW / 1_000 + 60);
  });

  it.each([
    ['used again while a minute is left', 60_000, true],
    ['built again when it ends sooner', 59_000, false],
  ])('is %s', async (_name, restMs, isKept) => {
    const stored = await new SignJWT({ exp: (TOKEN_NOW + restMs) / 1_000 })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(privateKey);

    const { sent } = await issue({ assertion }, { ...given, assertion: stored });

    expect(sent === stored).toBe(isKept);
  });

  it('is built again when the stored value is not an assertion', async () => {
    const { sent } = await issue({ assertion }, { ...given, assertion: 'garbage' });
    const [header = '', body = '', signature = ''] = sent.split('.');

    expect(verify('sha256', Buffer.from(`${header}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
  });
});

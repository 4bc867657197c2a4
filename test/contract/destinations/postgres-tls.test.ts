// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificatePair, selfSigned } from '../../support/self-signed.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { type Postgres, startPostgres } from '../../support/start-postgres.ts';

let hub: InProcessServer;
let postgres: Postgres;
let certificate: CertificatePair;

beforeAll(async () => {
  certificate = selfSigned('localhost');
  [hub, postgres] = await Promise.all([startInProcess(), startPostgres({ log_connections: 'on' }, certificate)]);
});
afterAll(async () => {
  await Promise.all([hub?.stop(), postgres?.stop()]);
});

async function post(path: string, body: object) {
  const answer = await fetch(`${hub.url}/records/destinations${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'To TLS', kind: 'postgres', connection_string: postgres.url, ...body }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of two shapes
  return { status: answer.status, body: (await answer.json()) as any };
}
const test = async (body: object) => (await post('/test', body)).body.data;
const named = () => postgres.url.replace('127.0.0.1', 'localhost');
describe('encryption of a PostgreSQL destination', () => {
  it('refuses a certificate that nobody vouches for, and says what to do', async () => {
    expect(await test({ connection_string: named(), tls: 'verify' })).toEqual({
      ok: false,
      message: expect.stringMatching(
        /^The certificate of localhost:\d+ is not accepted: self-signed certificate\. Give the certificate of its authority, or choose encryption without a check\.$/,
      ),
    });
  });

  it('accepts it with the certificate of its authority, and refuses another name', async () => {
    const ca_certificate = certificate.cert;
    expect(await test({ connection_string: named(), tls: 'verify', ca_certificate })).toMatchObject({ ok: true });
    expect(await test({ connection_string: postgres.url, tls: 'verify', ca_certificate })).toEqual({
      ok: false,
      message: `The certificate of 127.0.0.1:${postgres.port} is for another name. Write the host as it is in the certificate, or choose encryption without a check.`,
    });
    expect(
      await test({ connection_string: named(), tls: 'verify', ca_certificate: selfSigned('other').cert }),
    ).toMatchObject({
      ok: false,
      message: expect.stringContaining('is not accepted'),
    });
  });

  it('encrypts without a check when that is chosen, and not at all when it is off', async () => {
    expect(await test({ tls: 'encrypt' })).toMatchObject({ ok: true });
    expect(await test({ tls: 'off' })).toMatchObject({ ok: true });
    const log = postgres.output();
    expect(log).toMatch(/application_name=homeport SSL enabled/);
    expect(log).toMatch(/application_name=homeport$/m);
  });

  it.each([
    ['disable', 'off'],
    ['no-verify', 'encrypt'],
    ['require', 'verify'],
    ['verify-ca', 'verify'],
    ['verify-full', 'verify'],
  ])('reads sslmode=%s of a connection as %s', async (mode, tls) => {
    const connection_string = `${named()}?sslmode=${mode}`;
    const { body, status } = await post('', { connection_string, schema: `s_${tls}` });
    expect([status, body.data?.tls]).toEqual([201, tls]);
    const chosen = await post('', { name: 'Chosen', connection_string, tls: 'off', schema: `c_${tls}` });
    expect(chosen.body.data.tls).toBe('off');
    for (const { id } of [body.data, chosen.body.data])
      await fetch(`${hub.url}/records/destinations/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${hub.secretKey}` },
      });
  });

  it('accepts what hosts give people to copy, and refuses other parameters', async () => {
    const extra = 'sslmode=disable&channel_binding=require&application_name=x&connect_timeout=5&pgbouncer=true';
    expect(await test({ connection_string: `${named()}?${extra}` })).toMatchObject({ ok: true });
    const { body } = await post('/test', { connection_string: `${named()}?options=-csearch_path%3Dx` });
    expect(body.error.errors[0].message).toContain('The parameter options');
  });

  it.each([
    ['127.0.0.1:1', 'nothing listens there'],
    ['db.nowhere.invalid', 'no computer of this name was found'],
  ])('says of a server at %s what is wrong', async (host, why) => {
    const { message, ok } = await test({ connection_string: `postgres://hub:x@${host}/data`, tls: 'off' });
    expect([ok, message]).toEqual([false, expect.stringContaining(why)]);
  });

  it.each(['prefer', 'allow', 'VERIFY', ''])(
    'refuses sslmode=%s, which does not say whether to encrypt',
    async (mode) => {
      const { body, status } = await post('', { connection_string: `${named()}?sslmode=${mode}` });
      expect([status, body.error.code]).toEqual([400, 'invalid_body']);
      expect(body.error.errors[0]).toMatchObject({
        path: ['connection_string'],
        message: expect.stringContaining('disable, require or verify-full'),
      });
    },
  );
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { setUpLogs } from './logs-setup.ts';

const CANARY = 'canary-3f9c "quoted"/value';
const FORMS = ['canary-3f9c', 'canary%2D3f9c', 'header-canary', 'late-canary'];

it('writes no secret to any file, in any member of a message', async () => {
  const { logs, database, folder, close } = await setUpLogs();
  const operation = logs.start({
    environmentId: 1,
    type: 'proxy',
    action: 'call',
    message: `Call with ${CANARY}`,
    secrets: [CANARY],
    meta: { text: `x${CANARY}y`, nested: [{ apiKey: 'header-canary' }] },
    request: { method: 'GET', url: `https://a.test/?k=${encodeURIComponent(CANARY)}&access_token=header-canary` },
  });
  operation.log({
    level: 'error',
    type: 'http',
    message: `GET https://a.test/?q=${encodeURIComponent(CANARY)} failed: ${JSON.stringify({ CANARY })}`,
    request: { method: 'GET', url: `https://u:header-canary@a.test/${CANARY}`, headers: { Cookie: 'header-canary' } },
    response: { code: 500, headers: { 'set-cookie': 'header-canary', echo: CANARY } },
    error: { message: CANARY, payload: { client_secret: 'header-canary', body: CANARY } },
    persistResults: { addedKeys: [CANARY] },
  });
  operation.redactSecrets(['late-canary']);
  logs.attach(operation.id).log({ level: 'info', message: 'got late-canary' });
  operation.finish('failed', {
    message: 'late-canary',
    error: { message: CANARY },
    response: { code: 500, headers: { x: CANARY } },
  });
  await logs.flush();
  const found = await logs.listMessages({ environmentId: 1, operationId: operation.id });
  await database.maintenance('PRAGMA wal_checkpoint(TRUNCATE)');

  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));

  expect(found?.messages[1]?.message).toBe('got REDACTED');
  expect(files.join('').includes('proxy')).toBe(true);
  for (const form of FORMS) expect(files.join('').includes(form), form).toBe(false);
  await close();
});

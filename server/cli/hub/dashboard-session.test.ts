import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createTempHome } from '../../../test/support/temp-home.ts';
import { writeRunningFile } from '../../running-file.ts';
import { DashboardSession } from './dashboard-session.ts';

it('says why the hub could not sign it in', async () => {
  const folder = await createTempHome();
  const refusal = { error: { code: 'disk_full', message: 'The disk is full: nothing can be stored.' } };
  const hub = createServer((request, response) => {
    const isLink = request.url === '/api/v1/login-links';
    response.writeHead(isLink ? 200 : 500).end(JSON.stringify(isLink ? { url: `${address}/app/#code=1` } : refusal));
  });
  await once(hub.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  await writeRunningFile(folder.path, { address, controlKey: 'key' });

  await expect(DashboardSession.open(folder.path, fetch)).rejects.toThrow('The hub refused: The disk is full');

  hub.close();
  hub.closeAllConnections();
  await folder.remove();
});

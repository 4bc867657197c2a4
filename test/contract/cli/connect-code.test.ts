import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVICE_CLIENTS, DeviceAuthorizer } from '../../support/device-authorizer.ts';
import { type CliRun, runCliProcess } from '../../support/run-cli.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';

let authorizer: DeviceAuthorizer;
let server: InProcessServer;
beforeAll(async () => {
  authorizer = await DeviceAuthorizer.start();
  const plain = authorizer.entry({
    authorization_url: `${authorizer.address}/auth`,
    device_authorization_url: undefined,
  });
  server = await startWithProviders(JSON.stringify({ certified: authorizer.entry(), plain }));
  const api = new ApiCaller(server);
  const clients = {
    certified: { client_id: DEVICE_CLIENTS.public, scopes: 'openid,offline_access' },
    plain: { client_id: 'x', client_secret: 'y' },
  };
  for (const [key, client] of Object.entries(clients)) {
    const body = { provider: key, unique_key: key, credentials: { type: 'OAUTH2', ...client } };
    expect((await api.send('POST /integrations', { body })).status).toBe(200);
  }
});
afterAll(async () => {
  await server?.stop();
  await authorizer?.stop();
});

/** Runs the command; a person enters the code that it shows. */
async function connect(args: string[], person: { agrees?: boolean } | 'stop' = {}): Promise<CliRun> {
  let entering: Promise<string> | undefined;
  const run = await runCliProcess(['connect', 'certified', ...args], {
    cwd: server.workspace,
    home: server.home,
    onOutput: (text) => {
      const [, code] = /enter this code: (\S+)/.exec(text) ?? [];
      if (code === undefined) return undefined;
      if (person === 'stop') return 'stop';
      entering ??= authorizer.enterCode(`${authorizer.address}/device?user_code=${code}`, person);
      return undefined;
    },
  });
  await entering;
  return run;
}

describe('homeport connect with a code', () => {
  it('shows address, code and QR code, waits, and prints the connection', async () => {
    const run = await connect([]);

    expect([run.status, run.output]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    expect(run.errors).toContain(`Open ${authorizer.address}/device`);
    expect(run.errors).toMatch(/enter this code: [A-Z]{4}-[A-Z]{4}/);
    // A square of light edges, two rows of modules a line.
    const rows = run.errors.split('\n').filter((line) => /^[█▀▄ ]{20,}$/.test(line));
    expect(rows.length).toBe(Math.ceil((rows[0]?.length ?? 0) / 2));
    expect(run.errors).toContain('of certified connected');
  });

  it('prints only the connection with --json, and code and address for the person', async () => {
    const run = await connect(['--user', 'u9', '--json']);

    expect(run.json()).toMatchObject({ provider_config_key: 'certified', end_user: { id: 'u9' } });
    expect(run.errors).not.toContain('█');
  });

  it('says that the person refused', async () => {
    const run = await connect(['--json'], { agrees: false });

    expect([run.status, run.json().error.message]).toEqual([1, 'The sign-in was refused at Certified.']);
  });

  it('forgets the code at Ctrl-C', async () => {
    const run = await connect([], 'stop');

    expect([run.status, run.errors]).toEqual([130, expect.stringContaining('not valid any more')]);
  });

  it('refuses --code where the provider offers none', async () => {
    const run = await runCliProcess(['connect', 'plain', '--code', '--json'], {
      cwd: server.workspace,
      home: server.home,
    });

    expect([run.status, run.json().error.message]).toEqual([64, expect.stringContaining('no sign-in with a code')]);
  });
});

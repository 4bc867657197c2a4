import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { runCliProcess } from '../../support/run-cli.ts';
import { startServer } from '../../support/start-server.ts';

/** Runs inside a session bus with a real keyring (os-keychain.test.ts): the entry of a running hub is deleted. */
interface Keytar {
  findCredentials(service: string): Promise<Array<{ account: string; password: string }>>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}
const keytar = createRequire(import.meta.url)('keytar') as Keytar;
const bus = Object.fromEntries(
  ['DBUS_SESSION_BUS_ADDRESS', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'].map((name) => [name, process.env[name] ?? '']),
);
const home = process.env['HOMEPORT_HOME'] ?? '';

const hub = await startServer({ home, env: { ...bus, HOMEPORT_MASTER_KEY: '' } });
const status = async (): Promise<string> => {
  const { status: exit, output, errors } = await runCliProcess(['key', 'status'], { cwd: tmpdir(), home, env: bus });
  return `${exit} ${output}${errors}`.trim();
};
try {
  console.log(`with it: ${await status()}`);
  const [entry] = await keytar.findCredentials('homeport');
  await keytar.deletePassword('homeport', entry?.account ?? '');
  console.log(`without it: ${await status()}`);
  await keytar.setPassword('homeport', entry?.account ?? '', entry?.password ?? '');
  console.log(`back: ${await status()}`);
} finally {
  await hub.stop();
}

import { generate } from 'lean-qr';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { askFields, configInputs, readProvider } from '../hub/provider-fields.ts';

export interface CodeWait {
  /** Integration. */
  key: string;
  provider: string;
  /** Of the connect session. */
  token: string;
  seconds: number;
}

type SignIn =
  | {
      status: 'pending';
      user_code: string;
      verification_uri: string;
      verification_uri_complete?: string;
      expires_at: string;
    }
  | { status: 'connected'; connectionId: string }
  | { status: 'denied' | 'expired' | 'failed'; error: { code: string; message: string } }
  | { status: 'none' };

/** The hub asks the provider; these questions only fetch what it knows. */
const ASK_MS = 1000;

/** Shows a code that the person enters at the provider, and resolves to the id of the connection. */
export async function waitForCodeSignIn(context: CliContext, hub: HubClient, wait: CodeWait): Promise<string> {
  const { signal, terminal } = context;
  const limit = AbortSignal.timeout(wait.seconds * 1000);
  const query = { connect_session_token: wait.token, ...(await readParams(context, hub, wait)) };
  const path = `/oauth/device/${encodeURIComponent(wait.key)}`;
  const begin = (isNew: boolean): Promise<SignIn> =>
    hub.call<SignIn>('POST', path, { query, body: isNew ? { new: true } : {} });
  const cancel = (): Promise<unknown> => hub.send('DELETE', path, { query });
  let signIn = await begin(false);
  for (;;) {
    showCode(context, signIn);
    signIn = await terminal.progress('Waiting until the code is entered', async () => {
      for (;;) {
        await pause(AbortSignal.any([signal, limit]));
        if (signal.aborted || limit.aborted) await cancel();
        if (signal.aborted) throw new CliFailure('Stopped waiting. The code is not valid any more.', EXIT.interrupted);
        if (limit.aborted) throw new CliFailure(`Nobody entered the code within ${wait.seconds} seconds.`);
        const now = await hub.call<SignIn>('GET', path, { query });
        if (now.status !== 'pending') return now;
      }
    });
    if (signIn.status === 'connected') return signIn.connectionId;
    if (signIn.status === 'denied' || signIn.status === 'failed') throw new CliFailure(signIn.error.message);
    terminal.tell('The code expired. This is another one.');
    signIn = await begin(true);
  }
}

/** What the provider asks for before the sign-in, such as a domain. */
async function readParams(
  context: CliContext,
  hub: HubClient,
  { key, provider: name }: CodeWait,
): Promise<Record<string, string>> {
  const inputs = configInputs(await readProvider(hub, name));
  if (inputs.length === 0) return {};
  const otherwise = `${name} asks for ${inputs.map(({ title }) => title).join(', ')} first. The page does: homeport connect ${key} --no-code`;
  const needed = inputs.filter(({ defaultValue, optional }) => !optional && defaultValue === undefined);
  const answers =
    needed.length === 0 && !context.terminal.isInteractive ? {} : await askFields(context, inputs, otherwise);
  return Object.fromEntries(Object.entries(answers).map(([field, value]) => [`params[${field}]`, value]));
}

function showCode({ terminal }: CliContext, signIn: SignIn): void {
  if (signIn.status !== 'pending') return;
  const { user_code: code, verification_uri: address, verification_uri_complete: complete } = signIn;
  const qr = terminal.isJson ? undefined : qrLines(complete ?? address);
  if (qr && (qr[0]?.length ?? 0) <= terminal.messageWidth) terminal.tell(qr.join('\n'));
  terminal.tell(`Open ${address}\nand enter this code: ${terminal.colors.bold(code)}`);
}

/** Modules around a code without which readers do not find it; two suffice on a screen. */
const QUIET = 2;

/** Two rows of modules a line. Light modules are drawn, because most terminals are dark. */
function qrLines(text: string): string[] {
  const code = generate(text);
  const isLight = (x: number, y: number): boolean => !code.get(x, y);
  const edge = code.size + QUIET;
  const lines: string[] = [];
  for (let y = -QUIET; y < edge; y += 2) {
    let line = '';
    for (let x = -QUIET; x < edge; x++) {
      const [top, bottom] = [isLight(x, y), y + 1 < edge && isLight(x, y + 1)];
      line += top ? (bottom ? '█' : '▀') : bottom ? '▄' : ' ';
    }
    lines.push(line);
  }
  return lines;
}

/** Resolves after the interval, or as soon as the signal aborts. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ASK_MS);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

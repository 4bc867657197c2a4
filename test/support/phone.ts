import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message about a question of an agent, as the receiver got it. */
export interface PhoneMessage {
  path: string | undefined;
  authorization: string | undefined;
  body: Record<string, string> & { actions: { url: string }[] };
}

export type Phone = Awaited<ReturnType<typeof startPhone>>;

/** A webhook or an ntfy server of a person. */
export async function startPhone() {
  const sent: PhoneMessage[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString());
    sent.push({ path: request.url, authorization: request.headers.authorization, body });
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    sent,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith: (next: number) => {
      status = next;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

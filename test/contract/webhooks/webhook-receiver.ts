import { Nango } from '@nangohq/node';
import { FakeProvider, type RecordedRequest, type ScriptedResponse } from '../../support/fake-provider.ts';
import { TEST_SECRET_KEY } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';

// Wire documents of any shape: each test asserts the members it needs.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Webhook = any;

/** The user's application: receives webhooks at `/hook` and `/second`, and checks each with the official client. */
export class WebhookReceiver {
  readonly server: FakeProvider;

  private constructor(server: FakeProvider) {
    this.server = server;
    for (const path of ['/hook', '/second']) this.respond(path, { status: 200 });
  }

  static async start(): Promise<WebhookReceiver> {
    return new WebhookReceiver(await FakeProvider.start());
  }

  address(path = '/hook'): string {
    return `${this.server.address}${path}`;
  }

  /** Applies to all later requests. */
  respond(path: string, response: ScriptedResponse | (() => Promise<ScriptedResponse>)): void {
    this.server.on(`POST ${path}`, response);
  }

  /** Leaves the first request to a path unanswered; resolves when it has arrived. */
  holdFirst(path: string): Promise<void> {
    let isFirst = true;
    return new Promise((resolve) => {
      this.respond(path, async () => {
        if (!isFirst) return { status: 200 };
        isFirst = false;
        resolve();
        return new Promise(() => {});
      });
    });
  }

  /** Waits for webhooks that match and checks their signatures. */
  async webhooks(count: number, matches: (webhook: Webhook) => boolean, path = '/hook'): Promise<Webhook[]> {
    const read = (): Webhook[] => this.server.requestsTo(path).map(readVerified).filter(matches);
    return waitFor(
      () => {
        const found = read();
        return found.length >= count ? found : undefined;
      },
      { what: `${count} webhooks among ${JSON.stringify(this.server.requests.map(readVerified))}` },
    );
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

function readVerified(request: RecordedRequest): Webhook {
  const body = request.body.toString();
  const client = new Nango({ secretKey: TEST_SECRET_KEY });
  const payload = JSON.parse(body) as Webhook;
  const isVerified = client.verifyIncomingWebhookRequest(body, request.headers);
  const isOldVerified = client.verifyWebhookSignature(String(request.headers['x-nango-signature']), payload);
  if (!isVerified || !isOldVerified) throw new Error(`the signatures of ${body} are wrong`);
  return payload;
}

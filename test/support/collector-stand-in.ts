import { FakeProvider, type RecordedRequest, type ScriptedResponse } from './fake-provider.ts';
import { waitFor } from './wait-for.ts';

type AttributeText = { stringValue: string } | { intValue: string };
type WireAttributes = Array<{ key: string; value: AttributeText }>;

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: WireAttributes;
  status?: { code: number; message?: string };
}

interface WireExport {
  resourceSpans: Array<{
    resource: { attributes: WireAttributes };
    scopeSpans: Array<{ scope: { name: string; version: string }; spans: WireSpan[] }>;
  }>;
}

export interface CollectedSpan extends Omit<WireSpan, 'attributes'> {
  attributes: Record<string, string | number>;
  /** Attributes of the sending resource. */
  resource: Record<string, string | number>;
}

const PATH = '/v1/traces';

/** A collector of OTLP: accepts spans at `/v1/traces`, refuses invalid requests, and decodes them. */
export class CollectorStandIn {
  readonly #server: FakeProvider;

  private constructor(server: FakeProvider) {
    this.#server = server;
    this.respond({});
  }

  static async start(): Promise<CollectorStandIn> {
    return new CollectorStandIn(await FakeProvider.start());
  }

  get endpoint(): string {
    return this.#server.address;
  }

  get requests(): RecordedRequest[] {
    return this.#server.requestsTo(PATH);
  }

  /** Every received span, including those of refused requests. */
  get spans(): CollectedSpan[] {
    return this.requests.flatMap(decode);
  }

  /** Sets the responses to later requests, in order; the last one is repeated. */
  respond(...responses: ScriptedResponse[]): void {
    const left = [...responses];
    this.#server.on(`POST ${PATH}`, () => {
      const next = left.length > 1 ? left.shift() : left[0];
      return { status: 200, body: {}, ...next };
    });
  }

  /** Waits until one span with each name has been received. */
  waitForSpans(...names: string[]): Promise<CollectedSpan[]> {
    const isThere = (name: string): boolean => this.spans.some((span) => span.name === name);
    return waitFor(() => (names.every(isThere) ? this.spans : undefined), { what: `the spans ${names.join(', ')}` });
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

function decode({ body, headers }: RecordedRequest): CollectedSpan[] {
  if (headers['content-type'] !== 'application/json') throw new Error(`not JSON: ${headers['content-type']}`);
  const { resourceSpans } = JSON.parse(body.toString()) as WireExport;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => {
        checkIds(span);
        return { ...span, attributes: read(span.attributes), resource: read(resource.attributes) };
      }),
    ),
  );
}

function checkIds({ endTimeUnixNano, parentSpanId, spanId, startTimeUnixNano, traceId }: WireSpan): void {
  const isSpanId = (id: string): boolean => /^[0-9a-f]{16}$/.test(id) && !/^0+$/.test(id);
  if (!/^[0-9a-f]{32}$/.test(traceId) || !isSpanId(spanId)) throw new Error(`wrong ids: ${traceId} ${spanId}`);
  if (parentSpanId !== undefined && !isSpanId(parentSpanId)) throw new Error(`wrong parent: ${parentSpanId}`);
  if (BigInt(startTimeUnixNano) > BigInt(endTimeUnixNano)) throw new Error('a span ends before it begins');
}

function read(attributes: WireAttributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, 'intValue' in value ? Number(value.intValue) : value.stringValue]),
  );
}

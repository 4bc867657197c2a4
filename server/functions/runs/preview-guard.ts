import type { GuestHttpRequest, HostMethods, HostTable } from '../../../functions/runtime/bridge.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { readsOnly } from '../../platform/lib/reads-only.ts';
import { isReading, sentText } from './write-notes.ts';

type HttpAnswer = HostMethods['http.request']['result'];

/** A write that a trial did not send. */
export interface UnsentWrite {
  method: string;
  /** Without the query. */
  path: string;
  /** A value of JSON, else text. */
  body: unknown;
  /** What the trial has read from the same path. */
  known: unknown;
}

export type PreviewGuard = ReturnType<typeof createPreviewGuard>;

const MAX_WRITES = 50;
/** In characters of a response that is kept to compare with. */
const MAX_READ = 200_000;

/** Lets a trial read, and holds back what it would write: it gets what the provider probably would answer. */
export function createPreviewGuard() {
  const unsent: UnsentWrite[] = [];
  const reads = new Map<string, unknown>();

  function hold(method: string, endpoint: string, text: string | undefined): UnsentWrite {
    if (unsent.length >= MAX_WRITES) throw new HomeportError('forbidden', `A trial goes up to ${MAX_WRITES} writes.`);
    const path = pathOf(endpoint);
    const body = text === undefined ? undefined : (parseJson(text) ?? text);
    const write = { method: method.toUpperCase(), path, body, known: reads.get(path) };
    unsent.push(write);
    return write;
  }

  function answerTo(request: GuestHttpRequest): HttpAnswer {
    const { body, known, method, path } = hold(request.method, request.endpoint, sentText(request.body));
    const text = JSON.stringify({ ...(isJsonObject(known) ? known : {}), ...(isJsonObject(body) ? body : {}) });
    return {
      status: 200,
      statusText: 'not sent',
      headers: { 'content-type': 'application/json' },
      body: request.expect === 'bytes' ? Buffer.from(text) : text,
      config: { method, url: path, headers: {} },
    };
  }

  function noteRead({ endpoint }: GuestHttpRequest, { body }: HttpAnswer): void {
    if (typeof body === 'string' && body.length <= MAX_READ) reads.set(pathOf(endpoint), parseJson(body));
  }

  return {
    unsent,
    clean: (answer: HttpAnswer): HttpAnswer => answer,
    methods: (table: HostTable): HostTable => ({
      ...table,
      'http.request': async (args, signal) => {
        if (!isReading(args)) return answerTo(args);
        const answer = await table['http.request'](args, signal);
        noteRead(args, answer);
        return answer;
      },
      'http.uncontrolledFetch': async (args, signal) => {
        const { body, headers, method, url } = args;
        if (readsOnly({ method, path: url, names: Object.keys(headers), hasBody: body !== null }))
          return table['http.uncontrolledFetch'](args, signal);
        hold(method, url, body ?? undefined);
        return { status: 200, statusText: 'not sent', headers: {}, body: '{}', url };
      },
      'action.trigger': async () => {
        throw new HomeportError('forbidden', 'It runs another function, which is not tried.');
      },
    }),
  };
}

function pathOf(endpoint: string): string {
  const path = endpoint.replace(/[?#].*$/s, '');
  return path.includes('://') ? path : `/${path.replace(/^\/+/, '')}`;
}

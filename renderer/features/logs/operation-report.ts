import type { MessageListItem, OperationDetailResponse, RecordedBodyView } from '../../api/contract.ts';
import { refusalWords, type ShownRefusal } from '../../lib/failure-words.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { shellWord } from '../../lib/shell-word.ts';

export const operationName = ({ syncConfigName, integrationName, operation }: OperationDetailResponse): string =>
  syncConfigName ?? integrationName ?? operation.type;

/** The message of a refused request without a message from the function's author. */
const STATUS_ONLY = /^Request failed with status code \d+$/;

/**
 * The provider's last refusal; undefined when the operation failed for another reason. Operations of older versions and
 * calls through the proxy have it in their messages only.
 */
function refusalOf(operation: OperationDetailResponse, messages: readonly MessageListItem[]): ShownRefusal | undefined {
  const { error, state } = operation;
  if (error?.refusal) return error.refusal;
  const isOfProvider = error
    ? error.type === 'script_http_error' && STATUS_ONLY.test(error.message)
    : state === 'failed';
  const calls = messages.filter(({ request }) => request !== null);
  const last = calls.at(-1);
  const code = last?.response?.code;
  if (!isOfProvider || !last?.request || (code !== undefined && code < 400)) return undefined;
  const isSame = ({ request, response }: MessageListItem): boolean =>
    request?.method === last.request?.method && request?.url === last.request?.url && response?.code === code;
  const others = calls.findLastIndex((call) => !isSame(call));
  const path = pathOfUrl(last.request.url).split('?')[0] ?? '';
  return { method: last.request.method, path, code: code ?? null, times: calls.length - 1 - others };
}

/** Records that the operation saved, with those that were the same before; without its messages, only the changed ones. */
function savedBy({ recordsChanged }: OperationDetailResponse, messages: readonly MessageListItem[]): number {
  const saves = messages.flatMap(({ persistResults }) => persistResults ?? []);
  const count = saves.reduce((sum, one) => sum + one.added + one.updated + one.deleted + one.unchanged, 0);
  return Math.max(count, recordsChanged);
}

function refusalSentence(
  operation: OperationDetailResponse,
  refusal: ShownRefusal,
  messages: readonly MessageListItem[],
): string {
  const { error, integrationName, integrationTitle } = operation;
  const count = savedBy(operation, messages);
  const why = refusal.code === null && error ? `: ${error.message}` : '';
  const saved = count > 0 ? ` What was saved before stays: ${formatCount(count, 'record')}.` : '';
  return `${refusalWords(refusal, integrationTitle ?? integrationName ?? 'The provider')}${why}.${saved}`;
}

/** The outcome in one sentence; the error if there is one. `messages`: those of the operation with requests, if known. */
export function sentenceOf(operation: OperationDetailResponse, messages: readonly MessageListItem[] = []): string {
  const { error, state, message, durationMs, httpCalls, recordsChanged, syncConfigName } = operation;
  const refusal = refusalOf(operation, messages);
  if (refusal !== undefined) return refusalSentence(operation, refusal, messages);
  // A warning does not lead: what was done does.
  if (error && state !== 'success') return error.message;
  // Deploying a function is no run of it.
  if (syncConfigName === null || operation.operation.type === 'deploy') return message;
  const did = [
    ...(httpCalls > 0 ? [formatCount(httpCalls, 'request')] : []),
    ...(recordsChanged > 0 ? [`${formatCount(recordsChanged, 'record')} changed`] : []),
  ].join(', ');
  const more = did === '' ? '' : `: ${did}`;
  if (state === 'waiting') return `${syncConfigName} is waiting to start.`;
  if (state === 'running') return `${syncConfigName} is running${did === '' ? '' : `: ${did} so far`}.`;
  if (state === 'success') return `${syncConfigName} finished in ${formatDuration(durationMs)}${more}.`;
  return `${syncConfigName} was ${state === 'timeout' ? 'stopped at its time limit' : state}${more}.`;
}

export interface FailedLine {
  file: string;
  line: number;
}

/** The first line of a stack trace that is in the author's files. */
export function failedLineOf({ error }: OperationDetailResponse): FailedLine | undefined {
  const payload = error?.payload as { stacktrace?: unknown } | null | undefined;
  // Older operations have the stack only in the caller's response, if at all.
  const lines = error?.stack ?? (Array.isArray(payload?.stacktrace) ? payload.stacktrace : []);
  for (const line of lines) {
    const [, file = '', number = ''] = /(?<![\w./@-])([\w./@-]+\.[cm]?tsx?):(\d+)(?::\d+)?/.exec(String(line)) ?? [];
    if (file !== '') return { file, line: Number(number) };
  }
  return undefined;
}

/** "GET /v1/users?page=2"; the host is omitted to save space. */
export function pathOfUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.pathname}${parsed.search}` : url;
}

export interface TimelineStep {
  key: string;
  kind: 'request' | 'save' | 'wait';
  /** The HTTP method, `save` or `wait`. */
  word: string;
  label: string;
  code: number | null;
  isFailure: boolean;
  /** Milliseconds from the start of the operation. */
  fromMs: number;
  durationMs: number;
}

/** Requests, saves and the waits between them, in order. Messages are written when a step ends. */
export function timelineOf(
  operation: OperationDetailResponse,
  messages: readonly MessageListItem[],
): { steps: TimelineStep[]; totalMs: number } {
  const beganMs = Date.parse(operation.startedAt ?? operation.createdAt);
  const steps = messages.flatMap((message): TimelineStep[] => {
    const durationMs = message.durationMs ?? 0;
    const endMs = Date.parse(message.createdAt) - beganMs;
    const step = { key: message.id, code: null, isFailure: false, fromMs: Math.max(endMs - durationMs, 0), durationMs };
    const { persistResults, request, response, retry } = message;
    if (persistResults) {
      const { model, added, updated, deleted, unchanged } = persistResults;
      const records = formatCount(added + updated + deleted + unchanged, 'record');
      const same = unchanged > 0 ? `, ${formatNumber(unchanged)} unchanged` : '';
      return [{ ...step, kind: 'save', word: 'save', label: `${records} of ${model}${same}` }];
    }
    if (!request) return [];
    const code = response?.code ?? null;
    const isFailure = code === null || code >= 400;
    const call = { ...step, kind: 'request' as const, word: request.method, label: pathOfUrl(request.url) };
    const waitedMs = retry?.waitedMs ?? 0;
    const hasRetryAfter = Object.keys(response?.headers ?? {}).some((name) => name.toLowerCase() === 'retry-after');
    const wait = { ...step, key: `${message.id}-wait`, kind: 'wait' as const, word: 'wait' };
    return [
      { ...call, code, isFailure },
      ...(waitedMs > 0
        ? [
            {
              ...wait,
              label: hasRetryAfter ? 'Retry-After' : 'backoff',
              fromMs: Math.max(endMs, 0),
              durationMs: waitedMs,
            },
          ]
        : []),
    ];
  });
  const lastMs = Math.max(0, ...steps.map(({ fromMs, durationMs }) => fromMs + durationMs));
  return { steps, totalMs: Math.max(operation.durationMs ?? 0, lastMs, 1) };
}

const SECRET_NAME = /token|secret|key|password|signature|auth|session|code/i;

/** The address without values that may be secret; the log has already removed known secrets. */
function withoutSecrets(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url.split('?')[0] ?? url;
  parsed.username = '';
  parsed.password = '';
  for (const name of [...parsed.searchParams.keys()])
    if (SECRET_NAME.test(name)) parsed.searchParams.set(name, 'REMOVED');
  return parsed.href;
}

const WITH_BODY = /^(post|put|patch)$/i;

/** A comment when the request had a body, or may have had one, that is not recorded completely. */
function bodyNote(method: string, body: RecordedBodyView | null | undefined): string {
  if (body?.isCut) return '# Only the beginning of the body was recorded; it is left out.\n';
  return body === undefined && WITH_BODY.test(method) ? '# The body of this request was not recorded.\n' : '';
}

/** What the log writes in place of a secret; entries of version 0.1.0 and before may have the second form. */
const REMOVED = /REDACTED|\[redacted\]/g;

/**
 * The request for a shell, with its body if it is completely recorded. Secrets that the log removed become placeholders.
 * `recorded`: null when the request had no body, undefined when its traffic was not recorded.
 */
export function curlOf(
  { request }: Pick<MessageListItem, 'request'>,
  recorded: RecordedBodyView | null | undefined,
): string {
  if (!request) return '';
  const body = recorded?.isCut ? undefined : recorded;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !/^(content-length|host)$/i.test(name));
  const isBytes = body?.encoding === 'base64';
  const command = [
    `${isBytes ? `printf %s ${shellWord(body.text)} | base64 -d | ` : ''}curl ${request.method === 'GET' ? '' : `-X ${request.method} `}${shellWord(request.url)}`,
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value.replaceAll(REMOVED, '<fill in>')}`)}`),
    ...(body && !isBytes ? [`--data-raw ${shellWord(body.text.replaceAll(REMOVED, '<fill in>'))}`] : []),
    ...(isBytes ? ['--data-binary @-'] : []),
  ].join(' \\\n  ');
  return bodyNote(request.method, recorded) + command;
}

const MAX_REPORTED = 30;
/** Text for one line of a table or list. */
const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();

const tookOf = ({ state, durationMs }: OperationDetailResponse): string =>
  state === 'running' ? 'still running' : `took ${formatDuration(durationMs)}`;

/** The facts that another person needs, as Markdown; without headers, bodies and values that may be secret. */
export function reportOf(operation: OperationDetailResponse, messages: readonly MessageListItem[]): string {
  const { type, action } = operation.operation;
  const facts: [string, string | null][] = [
    ['State', operation.state],
    ['Integration', operation.integrationName],
    ['Connection', operation.connectionName],
    ['Started', `${operation.startedAt ?? operation.createdAt}, ${tookOf(operation)}`],
    ['Trigger', operation.trigger],
    ['Operation', operation.id],
  ];
  const source = failedLineOf(operation);
  const requests = messages.filter(({ request }) => request !== null);
  const lines = messages.filter(({ request }) => request === null);
  const more = (list: readonly unknown[]): string[] =>
    list.length > MAX_REPORTED ? [`(${list.length - MAX_REPORTED} earlier ones left out)`, ''] : [];
  return [
    `# ${operationName(operation)} (${type}:${action}): ${operation.state}`,
    '',
    sentenceOf(operation, messages),
    '',
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${inLine(value)}`])),
    ...(operation.error?.type ? [`- Error: \`${operation.error.type}\``] : []),
    ...(source ? [`- Source: ${source.file}:${source.line}`] : []),
    '',
    ...(requests.length > 0
      ? [
          '## Requests',
          '',
          ...more(requests),
          '| Request | Response | Took |',
          '|---|---|---|',
          ...requests
            .slice(-MAX_REPORTED)
            .map(
              ({ request, response, durationMs }) =>
                `| ${inLine(`${request?.method} ${withoutSecrets(request?.url ?? '')}`)} | ${response?.code ?? 'none'} | ${formatDuration(durationMs)} |`,
            ),
          '',
        ]
      : []),
    ...(lines.length > 0
      ? [
          '## Messages',
          '',
          ...more(lines),
          ...lines
            .slice(-MAX_REPORTED)
            .map(({ createdAt, level, message }) => `- ${createdAt} ${level}: ${inLine(message)}`),
          '',
        ]
      : []),
  ].join('\n');
}

/** The path of a request below the provider's base address; the whole path when that leaves nothing. */
export function endpointOf(url: string, baseUrl: string | null | undefined): string {
  if (baseUrl && url.startsWith(baseUrl)) return url.slice(baseUrl.length) || '/';
  const path = pathOfUrl(url);
  const base = /^[a-z]+:\/\/[^/]+(\/[^$]*?)\/?$/i.exec(baseUrl ?? '')?.[1];
  return base && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

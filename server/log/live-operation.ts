import type { StoredError } from '../platform/database/stored-error.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Refusal } from '../platform/lib/failure-cause.ts';
import type { BufferedMessage } from './log-buffer.ts';
import { cleanText, cleanValue } from './log-values.ts';
import type { MessageDetails, MessageRow } from './messages.store.ts';
import type {
  FinalState,
  LogError,
  LogMessage,
  Operation,
  OperationEnd,
  OperationStart,
  ResponseTap,
  RunUsage,
  SentTraffic,
} from './operation.ts';
import type { OperationRow } from './operations.store.ts';
import { SecretRedactor } from './secret-redactor.ts';

/** Fixed part of a buffered entry's size in memory. */
const ENTRY_BYTES = 300;
/** Enough to contain the failing line of the function; further lines only show how it was called. */
const STACK_LINES = 10;

export interface LogSink {
  touch(row: OperationRow, sizeBytes: number): void;
  push(message: BufferedMessage): void;
  /** Undefined unless traffic is recorded. */
  record(operationId: string, redactor: SecretRedactor, sent: SentTraffic): ResponseTap | undefined;
}

/** Writes messages for an operation; also used by `attach` for an operation that does not run here. */
export class OperationWriter implements Operation {
  readonly id: string;
  protected readonly sink: LogSink;
  protected readonly clock: Clock;
  protected readonly redactor: SecretRedactor;

  constructor(id: string, sink: LogSink, clock: Clock, redactor: SecretRedactor) {
    this.id = id;
    this.sink = sink;
    this.clock = clock;
    this.redactor = redactor;
  }

  log(message: LogMessage): void {
    const { details, sizeBytes } = this.#details(message);
    const text = cleanText(message.message, this.redactor);
    const row: MessageRow = {
      operationId: this.id,
      createdAt: wholeMs(message.at) ?? this.clock.now(),
      level: message.level,
      type: message.type ?? 'log',
      source: message.source ?? 'internal',
      context: message.context ?? null,
      durationMs: wholeMs(message.durationMs),
      message: text,
      details,
    };
    this.sink.push({ row, sizeBytes: sizeBytes + text.length + ENTRY_BYTES });
  }

  #details(message: LogMessage): { details: MessageDetails | null; sizeBytes: number } {
    const details: MessageDetails = {};
    let sizeBytes = 0;
    for (const name of ['meta', 'request', 'response', 'retry', 'persistResults'] as const) {
      if (message[name] === undefined) continue;
      const clean = cleanValue(message[name], this.redactor);
      details[name] = clean.value;
      sizeBytes += clean.sizeBytes;
    }
    if (message.error) {
      const clean = cleanError(message.error, this.redactor);
      details.error = clean.error;
      sizeBytes += clean.sizeBytes;
    }
    if (message.recordingId !== undefined) details.recordingId = message.recordingId;
    return { details: Object.keys(details).length > 0 ? details : null, sizeBytes };
  }

  record(sent: SentTraffic): ResponseTap | undefined {
    return this.sink.record(this.id, this.redactor, sent);
  }

  redactSecrets(values: readonly string[]): void {
    this.redactor.add(values);
  }

  redact(text: string): string {
    return this.redactor.redact(text);
  }

  begin(): void {}

  measure(_usage: RunUsage): void {}

  noteStack(_stack: string): void {}

  finish(_state: FinalState, _end?: OperationEnd): void {}
}

export interface LiveOperationOptions {
  id: string;
  start: OperationStart;
  sink: LogSink;
  clock: Clock;
  onFinished: (id: string) => void;
  /** The stored row of an operation that an earlier run of the program left open; `start` is not used then. */
  row?: OperationRow;
}

/** An operation of this process, from its start to its end. Every change marks its one row for the next write. */
export class LiveOperation extends OperationWriter {
  readonly #row: OperationRow;
  readonly #onFinished: (id: string) => void;
  #sizeBytes = ENTRY_BYTES;
  #stack: string[] | undefined;
  /** The last request, when the provider refused it or did not answer. */
  #refusal: Refusal | undefined;

  constructor({ id, start, sink, clock, onFinished, row }: LiveOperationOptions) {
    super(id, sink, clock, new SecretRedactor(start.secrets));
    this.#onFinished = onFinished;
    this.#row = row ?? firstRow(id, start, clock.now(), this.redactor);
    if (row) return;
    this.#addDetails(start);
    this.sink.touch(this.#row, this.#sizeBytes);
  }

  override log(message: LogMessage): void {
    super.log(message);
    const row = this.#row;
    if (message.type === 'http') this.#refusal = this.#refusalAfter(message);
    const { added, updated, deleted } = countRecords(message.persistResults ?? {});
    const changed = added + updated + deleted;
    const calls = message.type === 'http' ? 1 : 0;
    if (changed + calls === 0) return;
    row.httpCalls += calls;
    row.recordsChanged += changed;
    row.recordsAdded = (row.recordsAdded ?? 0) + added;
    row.recordsUpdated = (row.recordsUpdated ?? 0) + updated;
    row.recordsDeleted = (row.recordsDeleted ?? 0) + deleted;
    this.#touch();
  }

  override begin(): void {
    if (this.#row.state !== 'waiting') return;
    this.#row.state = 'running';
    this.#row.startedAt = this.clock.now();
    this.#touch();
  }

  override measure({ cpuMs, memoryBytes }: RunUsage): void {
    this.#row.cpuMs = cpuMs;
    this.#row.memoryBytes = memoryBytes;
  }

  override noteStack(stack: string): void {
    this.#stack = stack.split('\n').slice(0, STACK_LINES);
  }

  override finish(state: FinalState, end: OperationEnd = {}): void {
    const row = this.#row;
    if (row.endedAt !== null) return;
    row.state = state;
    row.endedAt = this.clock.now();
    row.durationMs = row.startedAt === null ? null : row.endedAt - row.startedAt;
    if (end.message !== undefined) row.message = cleanText(end.message, this.redactor);
    if (end.error) {
      const clean = cleanError(end.error, this.redactor);
      row.error = clean.error;
      this.#sizeBytes += clean.sizeBytes;
      if (this.#refusal && isRefusal(end.error, this.#refusal)) row.error.refusal = this.#refusal;
      if (this.#stack) {
        const stack = this.#stack.map((line) => cleanText(line, this.redactor));
        row.error.stack = stack;
        this.#sizeBytes += stack.join('').length;
      }
    }
    this.#addDetails(end);
    this.#touch();
    this.#onFinished(this.id);
  }

  #refusalAfter({ request, response }: LogMessage): Refusal | undefined {
    const code = response?.code ?? null;
    if (!request || (code !== null && code < 400)) return undefined;
    const { method } = request;
    const path = cleanText(pathOf(request.url), this.redactor);
    const last = this.#refusal;
    const isSame = last?.method === method && last.path === path && last.code === code;
    return { method, path, code, times: isSame ? last.times + 1 : 1 };
  }

  #addDetails(more: Pick<OperationEnd, 'meta' | 'request' | 'response'>): void {
    if (more.meta === undefined && more.request === undefined && more.response === undefined) return;
    const details = { ...this.#row.details };
    const meta = more.meta && { ...(details.meta as object | undefined), ...more.meta };
    for (const [name, value] of Object.entries({ meta, request: more.request, response: more.response })) {
      if (value === undefined) continue;
      const clean = cleanValue(value, this.redactor);
      details[name as keyof typeof details] = clean.value;
      this.#sizeBytes += clean.sizeBytes;
    }
    if (Object.keys(details).length > 0) this.#row.details = details;
  }

  #touch(): void {
    this.#row.updatedAt = this.clock.now();
    this.sink.touch(this.#row, this.#sizeBytes);
  }
}

function firstRow(id: string, start: OperationStart, now: number, redactor: SecretRedactor): OperationRow {
  const isWaiting = start.state === 'waiting';
  const text = (value: string | undefined): string | null => (value === undefined ? null : cleanText(value, redactor));
  return {
    id,
    environmentId: start.environmentId,
    type: start.type,
    action: start.action,
    state: isWaiting ? 'waiting' : 'running',
    message: text(start.message),
    integrationKey: start.integrationKey ?? null,
    providerName: start.providerName ?? null,
    connectionId: start.connectionId ?? null,
    endUserId: start.endUserId ?? null,
    endUserName: start.endUserName ?? null,
    functionName: start.functionName ?? null,
    variant: start.variant ?? null,
    jobId: start.jobId ?? null,
    trigger: start.trigger ?? null,
    actor: start.actor ?? null,
    sessionId: start.sessionId ?? null,
    httpCalls: 0,
    recordsChanged: 0,
    recordsAdded: 0,
    recordsUpdated: 0,
    recordsDeleted: 0,
    createdAt: now,
    updatedAt: now,
    startedAt: isWaiting ? null : now,
    endedAt: null,
    expiresAt: wholeMs(start.expiresAt),
    durationMs: null,
    cpuMs: null,
    memoryBytes: null,
    error: null,
    details: null,
  };
}

/** Whether the error of a function says no more than the refusal. */
const isRefusal = ({ message, type }: LogError, { code }: Refusal): boolean =>
  code === null
    ? type === 'script_network_error'
    : type === 'script_http_error' && message === `Request failed with status code ${code}`;

/** Path of an address, without what may hold secrets. */
const pathOf = (url: string): string => URL.parse(url)?.pathname ?? url.split(/[?#]/, 1)[0] ?? '';

function cleanError(source: LogError, redactor: SecretRedactor): { error: StoredError; sizeBytes: number } {
  const error: StoredError = { message: cleanText(source.message, redactor) };
  if (source.name !== undefined) error.name = cleanText(source.name, redactor);
  if (source.type !== undefined) error.type = cleanText(source.type, redactor);
  let sizeBytes = ENTRY_BYTES + error.message.length;
  if (source.payload !== undefined) {
    const payload = cleanValue(source.payload, redactor);
    error.payload = payload.value;
    sizeBytes += payload.sizeBytes;
  }
  return { error, sizeBytes };
}

function countRecords(results: Record<string, unknown>): { added: number; updated: number; deleted: number } {
  const number = (value: unknown): number => (typeof value === 'number' && Number.isInteger(value) ? value : 0);
  return { added: number(results.added), updated: number(results.updated), deleted: number(results.deleted) };
}

/** The column holds whole milliseconds; a duration measured with the high-resolution timer has a fraction. */
const wholeMs = (ms: number | undefined): number | null =>
  ms === undefined || !Number.isFinite(ms) ? null : Math.round(ms);

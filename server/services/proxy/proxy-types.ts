import type { Readable } from 'node:stream';
import type { AnswerTap, SentTraffic } from '../logs/operation.ts';

/** Which connection a call is made with. */
export interface ProxyTargetRef {
  environmentId: number;
  integrationKey: string;
  connectionId: string;
}

/** A connection with opened, fresh credentials, and what of its integration a request needs. */
export interface ProxyTarget {
  environmentId: number;
  providerName: string;
  integration: {
    uniqueKey: string;
    clientId?: string;
    clientSecret?: string;
    /** Values of the entry's `integration_config`. */
    custom?: Record<string, string>;
  };
  connection: {
    id: number;
    connectionId: string;
    /** Stored form of providers.md 2.3: `type` and the fields of the mode. */
    credentials: { type?: string; [field: string]: unknown };
    connectionConfig: Record<string, unknown>;
    metadata: Record<string, unknown>;
  };
}

export interface MultipartPart {
  name: string;
  text?: string;
  bytes?: Uint8Array;
  filename?: string;
  contentType?: string;
}

/** A body in memory: it may have to be sent again. `bytes` may bring the content-type it was received with. */
export type ProxyBody =
  | { kind: 'json'; text: string }
  | { kind: 'form'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Uint8Array; contentType?: string }
  | { kind: 'multipart'; parts: MultipartPart[] };

/** What a caller asks to be sent (functions.md 4.1, http-api.md 7). */
export interface ProviderRequest {
  method: string;
  /** Path and query, or an address below the provider's base. Sent byte for byte where a URL allows it. */
  endpoint: string;
  /** Text is appended to the query, pairs are set one by one. */
  params?: string | Record<string, string>;
  headers?: Record<string, string>;
  body?: ProxyBody;
  /** An empty text counts as absent. */
  baseUrlOverride?: string;
  decompress?: boolean;
  forwardHeadersOnRedirect?: boolean;
  /** Placeholders in the caller's endpoint and base address read no credentials: the caller may not see them. */
  hidesCredentials?: boolean;
}

export interface ProxyCall extends ProviderRequest {
  target: ProxyTargetRef;
  /** Further attempts after the first. Default 0. */
  retries?: number;
  retryOn?: number[];
  retryHeader?: { at?: string | string[]; after?: string | string[] };
  /** Milliseconds since the epoch: no wait between attempts goes past it. */
  deadlineMs?: number;
  signal?: AbortSignal;
  onAttempt?: (attempt: ProxyAttempt) => void;
  /** Asked for each attempt before `onAttempt`: who records its bodies, if anyone does. */
  record?: (sent: SentTraffic) => AnswerTap | undefined;
}

/** A request as it may be shown: every secret replaced. */
export interface RedactedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** One attempt, for the log. */
export interface ProxyAttempt {
  /** 1 for the first. */
  attempt: number;
  request: RedactedRequest;
  status?: number;
  responseHeaders?: Record<string, string>;
  durationMs: number;
  /** Why there is no status. */
  error?: { code: string; message: string };
  /** Present when another attempt follows. */
  retry?: { reason: string; waitMs: number };
  /** Things the entry asked for that could not be done, such as a header without a value. */
  warnings: string[];
  /** Of its bodies, when they are recorded. */
  recordingId?: string;
}

export interface ProxyResponse {
  /** Any status: a refusal of the provider is an answer. */
  status: number;
  statusText: string;
  /** Lower-case names. `content-encoding` is gone when the body was decoded. */
  headers: Record<string, string | string[] | undefined>;
  /** Not read yet: read it to its end (`readBody` of lib/outbound-body) or destroy it. */
  body: Readable;
  /** Whoever reads the body passes it on here too, and says when it is over. */
  tap?: AnswerTap;
  describeRequest: () => RedactedRequest;
}

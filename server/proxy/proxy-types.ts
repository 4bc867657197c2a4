import type { Readable } from 'node:stream';
import type { LogMessage, Operation, ResponseTap } from '../log/operation.ts';
import type { OutboundError } from '../platform/lib/outbound-error.ts';
import type { OutboundResponse } from '../platform/lib/outbound-http.ts';

/** The connection of a call. */
export interface ProxyTargetRef {
  environmentId: number;
  integrationKey: string;
  connectionId: string;
  /** True for the hub's own requests, which do not count as use of the connection (design.md 7.53). */
  isUpkeep?: boolean;
}

/** A connection with opened, fresh credentials, and the parts of its integration that a request needs. */
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

/** A body in memory, because it may be sent again. `bytes` may have the content type with which it was received. */
export type ProxyBody =
  | { kind: 'json'; text: string }
  | { kind: 'form'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Uint8Array; contentType?: string }
  | { kind: 'multipart'; parts: MultipartPart[] };

/** What a caller asks to be sent (functions.md 4.1, http-api.md 7). */
export interface ProviderRequest {
  method: string;
  /** Path and query, or an address below the provider's base address. Sent byte for byte where a URL allows it. */
  endpoint: string;
  /** A text is appended to the query; pairs are set one by one. */
  params?: string | Record<string, string>;
  headers?: Record<string, string>;
  body?: ProxyBody;
  /** An empty text counts as absent. */
  baseUrlOverride?: string;
  decompress?: boolean;
  forwardHeadersOnRedirect?: boolean;
  /** Sent to the base address itself, without a slash at its end; the endpoint is `/`. */
  isAtBase?: boolean;
  /** `false` returns a redirect as the response. */
  followsRedirects?: boolean;
  /**
   * Placeholders in the caller's endpoint and base address cannot read credentials, because the caller may not see
   * them.
   */
  hidesCredentials?: boolean;
  /**
   * The base address comes from a response, such as the link to a next page: outside of the integration's addresses it
   * gets no credentials (design.md 7.48).
   */
  followsLink?: boolean;
}

export interface ProxyCall extends ProviderRequest {
  target: ProxyTargetRef;
  /** Further attempts after the first. Default 0. */
  retries?: number;
  retryOn?: number[];
  retryHeader?: { at?: string | string[]; after?: string | string[] };
  /** Milliseconds since the epoch: waits between attempts do not exceed it. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Where each attempt is logged, and recorded if traffic is. */
  log?: {
    operation: Pick<Operation, 'log' | 'record'>;
    context: NonNullable<LogMessage['context']>;
    /** Texts that the recording hides beside the connection's secrets. */
    secrets?: readonly string[];
  };
  onAttempt?: (attempt: ProxyAttempt) => void;
  /** Called with each host before anything is sent to it, those of redirects too; throws for one that is excluded. */
  admit?: (host: string) => Promise<void> | undefined;
}

/** A request for display: every secret is replaced. */
export interface RedactedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** One attempt, for the log. */
export interface ProxyAttempt {
  /** Counted from 1. */
  attempt: number;
  request: RedactedRequest;
  status?: number;
  responseHeaders?: Record<string, string>;
  durationMs: number;
  /** Why there is no status. */
  error?: { code: string; message: string };
  /** Present when another attempt follows. */
  retry?: { reason: string; waitMs: number };
  /** Parts of the entry that could not be applied, such as a header without a value. */
  warnings: string[];
  /** Id of the recording of its bodies. */
  recordingId?: string;
}

export type SendResult =
  | { kind: 'response'; status: number; headers: OutboundResponse['headers']; response: OutboundResponse }
  | { kind: 'network'; error: OutboundError };

export interface ProxyResponse {
  /** Any status: a refusal by the provider is a response, too. */
  status: number;
  statusText: string;
  /** Lower-case names. `content-encoding` is removed when the body was decoded. */
  headers: Record<string, string | string[] | undefined>;
  /** Not read yet: read it to its end (`readBody` of lib/outbound-exchange) or destroy it. */
  body: Readable;
  /** The reader of the body must pass it on to the tap and end the tap. */
  tap?: ResponseTap;
  describeRequest: () => RedactedRequest;
  /** Host outside of the integration that a link or a redirect led to, and that therefore got no credentials. */
  foreignHost?: string;
}

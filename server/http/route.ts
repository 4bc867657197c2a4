import type { Request, Response } from 'express';
import type { AllowedConnections } from '../contract/api/allowed-connections.ts';
import type { AuditAction } from '../contract/dashboard/dashboard-audit.ts';
import type { RouteDescription } from '../contract/openapi/route-description.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { ConnectSession } from '../services/connect-sessions/connect-session.ts';
import type { Caller, Environment } from '../services/environment/environment-service.ts';

/** Who may call a route (http-api.md 1.2). `public` routes check for themselves what they need. */
export type Access = 'key' | 'key-or-session' | 'session' | 'public' | 'dashboard';

export interface ApiRequest {
  readonly http: Request;
  readonly response: Response;
  readonly params: Record<string, string | string[]>;
  readonly query: unknown;
  readonly body: unknown;
  /** The environment of the caller; on `public` routes there is none and reading it throws. */
  readonly environment: Environment;
  /** Whose secret key was sent; reading it throws when it was a session token. */
  readonly caller: Caller;
  /** Connections that the caller is limited to; null = all of them, as for a session, which has limits of its own. */
  readonly allowed: AllowedConnections;
  /** The connect session whose token was sent; undefined for a secret key. */
  readonly session: ConnectSession | undefined;
}

/** What a handler answers; `undefined` when it has written the response itself (proxy, streams). */
export type Reply = JsonReply | undefined;

export interface JsonReply {
  status: number;
  /** Serialised as JSON, unless `text` is given. */
  body?: unknown;
  /** JSON text that is ready to send. */
  text?: string;
  headers?: Record<string, string>;
}

export type Handler = (request: ApiRequest) => Promise<Reply> | Reply;

export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'all';
  /** Express 5 path pattern; an expression without groups takes the path as it is, broken percent encodings included. */
  path: string | RegExp;
  access: Access;
  /** Any of these grants access; none = every key. */
  scopes?: readonly string[];
  /** Checked before a byte of the body is read; throws to refuse. For `public` routes that know their callers otherwise. */
  admit?: (request: Pick<ApiRequest, 'params'>) => Promise<void>;
  /** HEAD is answered 200, unless this throws. For routes without GET, whose callers look before they send. */
  checkHead?: (request: Pick<ApiRequest, 'params'>) => Promise<void>;
  /** Hands the body over as bytes, whatever its type; other routes get what `parseBody` says. */
  takesBytes?: boolean;
  /** Default: 75 MB for callers who are known, 100 kB for others. */
  bodyLimitBytes?: number;
  handler: Handler;
  /** What the audit says of a call that succeeds. */
  audit?: RouteAudit;
  /** Replaced routes announce their successor (design.md 7.23); `:name` takes the request's parameter. */
  successor?: string;
}

export interface RouteAudit {
  /** `credentials`: the answer holds them; `proxy`: it used them. Both are counted, not listed one by one. */
  action: AuditAction | 'credentials' | 'proxy';
  /** Default: always. */
  concerns?: (request: ApiRequest) => boolean;
  /** What it was done to; no secret. */
  subject?: (request: ApiRequest) => string | undefined;
}

/** A member of the body, as text. */
export const bodyText =
  (name: string) =>
  ({ body }: Pick<ApiRequest, 'body'>): string | undefined => {
    const value = isJsonObject(body) ? body[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };

/** The names of the members of the body, never their values. */
export const bodyMembers = ({ body }: Pick<ApiRequest, 'body'>): string | undefined =>
  isJsonObject(body) ? Object.keys(body).join(', ') : undefined;

/** A row of the public API: it says what the OpenAPI document shows of it. */
export interface PublicRoute extends Route {
  access: Exclude<Access, 'dashboard'>;
  /** Called so often that it is compared with a request before the others. */
  isHot?: true;
  openapi: RouteDescription;
}

/** On answers of deprecated routes (design.md 7.23). */
export function announceSuccessor(response: Response, path: string): void {
  // RFC 9745: the moment since when the route is deprecated, here the specification's removal date.
  response.setHeader('Deprecation', '@1768867200');
  response.setHeader('Link', `<${path}>; rel="successor-version"`);
}

export function ok(body: unknown): JsonReply {
  return { status: 200, body };
}

export function created(body: unknown): JsonReply {
  return { status: 201, body };
}

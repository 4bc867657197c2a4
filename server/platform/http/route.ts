import type { Request, Response } from 'express';
import type { ConnectSession } from '../../authorization/connect-session.ts';
import type { RouteDescription } from '../../contract/openapi/route-description.ts';
import type { AllowedConnections } from '../../environments/allowed-connections.contract.ts';
import type { AuditAction } from '../../environments/dashboard-audit.contract.ts';
import type { Caller, Environment } from '../../environments/environment.service.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

/** Who may call a route (http-api.md 1.2). The handlers of `public` routes check their callers themselves. */
export type Access = 'key' | 'key-or-session' | 'session' | 'public' | 'dashboard';

export interface ApiRequest {
  readonly http: Request;
  readonly response: Response;
  readonly params: Record<string, string | string[]>;
  readonly query: unknown;
  readonly body: unknown;
  /** The environment of the caller. Reading it throws on `public` routes. */
  readonly environment: Environment;
  /** The secret key of the call and its owner. Reading it throws when a session token was sent. */
  readonly caller: Caller;
  /** Connections that the key is limited to. Null means all, also for a session, which has its own limits. */
  readonly allowed: AllowedConnections;
  /** The connect session whose token was sent; undefined for a secret key. */
  readonly session: ConnectSession | undefined;
}

/** The response of a handler; `undefined` when the handler has written the response itself (proxy, streams). */
export type Reply = JsonReply | undefined;

export interface JsonReply {
  status: number;
  /** Serialised as JSON unless `text` is given. */
  body?: unknown;
  /** JSON text that is ready to send. */
  text?: string;
  /** The same as bytes, of an answer that is kept. */
  bytes?: Buffer;
  headers?: Record<string, string>;
}

export type Handler = (request: ApiRequest) => MaybePromise<Reply>;

export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'all';
  /** Express 5 path pattern. A regular expression without groups also matches paths with broken percent encoding. */
  path: string | RegExp;
  access: Access;
  /** Called so often that it is found before the other routes, in its plain spelling without Express. */
  isHot?: true;
  /** One of these is enough; without the list every key may call. */
  scopes?: readonly string[];
  /**
   * Checked before the body is read; throws to refuse. For `public` routes that identify their callers in another way.
   */
  admit?: (request: Pick<ApiRequest, 'params'> & Pick<Request, 'headers'>) => Promise<void>;
  /** Answers GET and HEAD of the same path, for callers that check an address before they post to it. */
  answerGet?: Handler;
  /** Passes the body on as bytes, whatever its type. Other routes get the result of `parseBody`. */
  takesBytes?: boolean;
  /** The handler reads the body itself, of any type and length, after the caller was admitted. */
  takesStream?: boolean;
  /** Default: 75 MB for authenticated callers, 100 kB for others. */
  bodyLimitBytes?: number;
  /** How the route treats a key that may use only some connections. Without it such a key is refused. */
  limitedKeys?: ConnectionLimit;
  handler: Handler;
  /** What the audit records of a call that succeeds. */
  audit?: RouteAudit;
  /** Path of the route that replaces this one (design.md 7.23); `:name` takes the request's parameter. */
  successor?: string;
}

/** What a call names, read from the same members that its handler reads. A value that is not text is refused. */
interface NamedConnection {
  integrationKey: unknown;
  connectionId?: unknown;
}

/** How a route treats a key that may use only some connections. */
export type ConnectionLimit =
  /** The response contains no data of a connection. */
  | 'open'
  /** The route concerns the whole environment, or an integration with all its connections. */
  | 'refused'
  /** The handler leaves out what the key may not see (`ApiRequest.allowed`). */
  | 'filtered'
  /** The key needs this scope by its name; a scope that stands for several is not enough (design.md 7.62). */
  | { scope: string }
  /** Every named connection must be allowed. */
  | { connections: (request: ApiRequest) => NamedConnection[] }
  /** At least one connection of the integration must be allowed. */
  | { integration: (request: ApiRequest) => unknown }
  /** The route creates connections: the whole integration, or the id of the new connection, must be allowed. */
  | { creates: (request: ApiRequest) => NamedConnection[] };

export interface RouteAudit {
  /** `credentials`: the response contains them. `proxy`: the call used them. Both are only counted. */
  action: AuditAction | 'credentials' | 'proxy';
  /** Whether this call is recorded. Default: always. */
  concerns?: (request: ApiRequest) => boolean;
  /** What the call acted on; never a secret. */
  subject?: (request: ApiRequest) => string | undefined;
}

/** Returns a member of the body as text. */
export const bodyText =
  (name: string) =>
  ({ body }: Pick<ApiRequest, 'body'>): string | undefined => {
    const value = isJsonObject(body) ? body[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };

/** Returns the names of the body's members, never their values. */
export const bodyMembers = ({ body }: Pick<ApiRequest, 'body'>): string | undefined =>
  isJsonObject(body) ? Object.keys(body).join(', ') : undefined;

/** A route of the public API with its description in the OpenAPI document. One that takes a key says its limits. */
export type PublicRoute = Route & { openapi: RouteDescription } & (
    | { access: 'key' | 'key-or-session'; limitedKeys: ConnectionLimit }
    | { access: 'session' | 'public'; limitedKeys?: never }
  );

/** Adds the headers of deprecated routes (design.md 7.23). */
export function announceSuccessor(response: Response, path: string): void {
  // RFC 9745: the time since when the route is deprecated, here the date on which the specification removed it.
  response.setHeader('Deprecation', '@1768867200');
  response.setHeader('Link', `<${path}>; rel="successor-version"`);
}

export function ok(body: unknown): JsonReply {
  return { status: 200, body };
}

export function created(body: unknown): JsonReply {
  return { status: 201, body };
}

import type { z } from 'zod';
import type { ErrorCode } from '../error-codes.ts';

/** Groups of the reference, in its order. */
export const TAGS = [
  'Providers',
  'Integrations',
  'Connections',
  'Connect sessions',
  'Proxy',
  'Actions',
  'MCP',
  'Syncs',
  'Records',
  'Functions',
  'Webhooks',
  'Environment',
  'Server',
] as const;

type Tag = (typeof TAGS)[number];

/** A code with its status from the catalogue, or with the status that this route answers it with. */
export type ErrorAnswer = ErrorCode | readonly [number, ErrorCode];

/** What a route answers when it succeeds: a schema, or null when the answer has no body. */
type SuccessAnswers = Readonly<Record<number, z.ZodType | null>>;

/** What the document says of a route beyond what its row says already. */
export interface RouteDescription {
  /** Name of the operation in generated clients; unique. */
  id: string;
  /** As the document writes it; default: the path of the row. */
  path?: string;
  tag: Tag;
  summary: string;
  /** What the schemas cannot say. */
  details?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** Parts that the handler reads as they are: nothing in them is refused. */
  unchecked?: readonly ('query' | 'headers' | 'body')[];
  answers: SuccessAnswers;
  /** Answers that the hub passes on as they come, with any status and content. */
  passesOn?: string;
  /** Beyond those of the request pipeline. */
  errors?: readonly ErrorAnswer[];
  /** What to use instead; the route is deprecated. */
  replacedBy?: string;
  /** Needed where the path has a parameter or the route takes a body. */
  example?: RouteExample;
}

/**
 * One call of a route, which the document shows as a line for `curl`. Examples use the practice provider, its functions,
 * and a connection `me` of it. `$NAME` is a variable of the shell.
 */
export interface RouteExample {
  /** With the query; default: the path of the route. */
  path?: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. A text `$NAME as number` stands for the value of a variable without quotes. */
  body?: unknown;
}

/** What the document takes of a row of the route table. */
export interface DescribedRoute {
  method: string;
  path: string | RegExp;
  access: 'key' | 'key-or-session' | 'session' | 'public';
  /** Any of these suffices; none = every key. */
  scopes?: readonly string[];
  openapi: RouteDescription;
}

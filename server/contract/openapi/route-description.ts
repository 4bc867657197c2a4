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

export interface RouteDescription {
  /** Name of the operation in generated clients; unique. */
  id: string;
  tag: Tag;
  summary: string;
  /** What the schemas cannot say. */
  details?: string;
  /** As in the route table. */
  access: 'key' | 'key-or-session' | 'session' | 'public';
  /** Any of these suffices, without the leading `environment:`; none = every key. */
  scopes?: readonly string[];
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
}

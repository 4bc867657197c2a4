import { z } from 'zod';
import { KEY_SCOPES, SINGLE_KEY_SCOPES } from './key-scopes.contract.ts';

const single = Object.entries(KEY_SCOPES).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}:${verb}`));
const groups = ['*', 'syncs:variant:*', ...Object.keys(KEY_SCOPES).map((noun) => `${noun}:*`)];
const known = new Set([...SINGLE_KEY_SCOPES, ...single, ...groups].map((name) => `environment:${name}`));

export const keyScopes = z
  .array(z.string().refine((scope) => known.has(scope), 'There is no such scope.'))
  .min(1)
  .max(known.size);

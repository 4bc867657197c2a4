import { z } from 'zod';
import { instant } from '../contract/response-fields.ts';

/** Responses of the functions API (http-api.md 14). */

export const compiledResponse = z.object({ bundle_size_bytes: z.int(), bundled_js: z.string(), compiled_at: instant });

const status = z.enum(['waiting', 'running', 'success', 'failed']);

/** The deployment of a template has already finished when its request is answered. */
export const taskStartedResponse = z.object({ id: z.uuid(), status, created_at: instant });

const task = {
  id: z.uuid(),
  status,
  integration_id: z.string(),
  function_type: z.enum(['action', 'sync']),
  created_at: instant,
  updated_at: instant,
  started_at: instant.optional(),
  completed_at: instant.optional(),
  duration_ms: z.int().optional(),
  output: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), payload: z.unknown().optional() }).optional(),
};

export const dryRunResponse = z.object({ ...task, result: z.unknown().optional() });

export const deploymentResponse = z.object({
  ...task,
  function_name: z.string(),
  deployed: z.boolean().optional(),
  deployed_functions: z.array(z.object({ name: z.string(), version: z.string() })).optional(),
});

const named = z.array(z.object({ integrationId: z.string(), name: z.string() }));
export const bundleResponse = z.object({ created: named, updated: named, unchanged: named, deleted: named });

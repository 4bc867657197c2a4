import { toText } from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';
import { TimedCache } from './timed-cache.ts';

const INTEGRATION_TTL_MS = 10 * 60_000;

/** The integration and environment members of the context (functions.md 3.4). */
export function integrationMembers(run: GuestRun): Members {
  const cache = new TimedCache<Record<string, unknown>>({ ttlMs: INTEGRATION_TTL_MS, now: run.now });
  const getIntegration = (options?: { include?: string[] }) => {
    const include = [...new Set(options?.include ?? [])].map(toText).sort();
    return cache.get(include.join(), () => run.host.call('integration.get', { include }));
  };
  return {
    getIntegration,
    getWebhookURL: async () => (await getIntegration({ include: ['webhook'] }))['webhook_url'],
    getEnvironmentVariables: () => run.host.call('environment.variables', {}),
    getFlowAttributes() {
      if (run.context.syncJobId === undefined) throw new Error('There is no sync run to read attributes of');
      return run.context.syncConfig['attributes'] ?? {};
    },
  };
}

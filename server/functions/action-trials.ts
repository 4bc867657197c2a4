import type { StoredConnection } from '../connections/connection.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { parseJson } from '../platform/lib/parse-json.ts';
import type { RecordsService } from '../records/records.service.ts';
import type { RunnableFunction } from './deployments/deployed-function.ts';
import { MemoryHost } from './dry-run/memory-host.ts';
import { createPreviewGuard, type UnsentWrite } from './runs/preview-guard.ts';
import { type RunsService, toRunError } from './runs/runs.service.ts';
import { previewOf, toPreview, type WritePreview } from './write-preview.ts';

export interface ActionTrial {
  environment: Environment;
  integration: Integration;
  connection: StoredConnection;
  action: RunnableFunction;
  /** JSON text. */
  input: string;
  /** Who wants to call it. */
  actor: string;
  signal: AbortSignal;
}

/** A person waits for the question meanwhile. */
const TIME_MS = 2_000;
/** More would take the slots of runs. */
const MAX_AT_ONCE = 2;
const MAX_PLACES = 20;
/** Id of a path that a record can have: `/issues/7/comments` has one before its last segment. */
const MAX_SEGMENTS = 3;

/** Runs actions without their writes, to show what they would change (agents.md 11). */
export function createActionTrials({
  log,
  records,
  runs,
}: {
  log: OperationLog;
  records: Pick<RecordsService, 'findPlaces' | 'list'>;
  runs: RunsService;
}) {
  let running = 0;

  /** The record of a sync of the same connection that the path names. */
  async function findRecord(
    { connection, environment, integration }: Pick<ActionTrial, 'connection' | 'environment' | 'integration'>,
    path: string,
  ): Promise<Record<string, unknown> | undefined> {
    for (const id of path.split('/').slice(1).slice(-MAX_SEGMENTS).toReversed().map(decoded)) {
      const places = await records.findPlaces(environment.id, id, MAX_PLACES);
      const place = places.find(
        (one) => one.connectionId === connection.connectionId && one.integrationKey === integration.uniqueKey,
      );
      if (!place) continue;
      const { model, variant } = place;
      const page = await records.list({ connectionRowId: connection.id, model, variant, ids: [id], limit: 1 });
      const record = parseJson(page.records[0]?.json ?? '');
      if (!isJsonObject(record)) continue;
      const { _nango_metadata: _own, ...known } = record;
      return known;
    }
    return undefined;
  }

  async function describe(
    trial: Pick<ActionTrial, 'connection' | 'environment' | 'integration'>,
    unsent: readonly UnsentWrite[],
  ): Promise<WritePreview['writes']> {
    return Promise.all(
      unsent.map(async (write) =>
        previewOf(write, isJsonObject(write.known) ? undefined : await findRecord(trial, write.path)),
      ),
    );
  }

  /** Why the trial does not show everything; null when it does. */
  async function execute(
    { action, actor, connection, environment, input, integration, signal }: ActionTrial,
    guard: ReturnType<typeof createPreviewGuard>,
  ): Promise<string | null> {
    const operation = log.start({
      environmentId: environment.id,
      type: 'function',
      action: 'invoke',
      message: `Preview of ${action.name}`,
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      connectionId: connection.connectionId,
      functionName: action.name,
      // Not a call of the client, which the list of calls would show.
      actor,
    });
    const outcome = await runs.execute({
      environment,
      integration,
      connection,
      deployed: action,
      scriptType: 'action',
      operation,
      // The signal ends it before.
      timeoutMs: 2 * TIME_MS,
      startWithinMs: TIME_MS,
      input,
      signal,
      dry: { memory: new MemoryHost(null), guard, onLog: () => {} },
    });
    operation.finish('success');
    if (outcome.ok) return guard.unsent.length === 0 ? 'It wrote nothing when it was tried.' : null;
    if (guard.unsent.length > 0) return 'What follows depends on the answer of the provider.';
    const { message, payload } = toRunError(outcome.failure, action.name, 'script_internal_error');
    const said = isJsonObject(payload) && typeof payload['message'] === 'string' ? payload['message'] : message;
    return `It failed when it was tried: ${said}`;
  }

  return {
    /** What the request would change. */
    async ofRequest(
      context: Pick<ActionTrial, 'connection' | 'environment' | 'integration'>,
      request: Omit<UnsentWrite, 'known'>,
    ): Promise<WritePreview> {
      return toPreview(await describe(context, [{ ...request, known: undefined }]), null);
    },

    /** Tries the action, for a short time. Never rejects: `problem` says why there is no preview. */
    async ofAction(trial: ActionTrial): Promise<WritePreview> {
      if (running >= MAX_AT_ONCE) return toPreview([], 'Other calls are being tried at the moment.');
      running += 1;
      const guard = createPreviewGuard();
      const limit = AbortSignal.timeout(TIME_MS);
      const signal = AbortSignal.any([trial.signal, limit]);
      const work = execute({ ...trial, signal }, guard)
        .catch((error: unknown) =>
          error instanceof HomeportError ? error.message : 'The trial failed; the log of the hub has the reason.',
        )
        .finally(() => {
          running -= 1;
        });
      const problem = await Promise.race([work, whenAborted(signal)]);
      const isLate = limit.aborted;
      return toPreview(
        await describe(trial, guard.unsent),
        isLate ? `The trial took longer than ${TIME_MS / 1000} seconds.` : problem,
      );
    },
  };
}

function whenAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('The call was withdrawn.');
    signal.addEventListener('abort', () => resolve('The call was withdrawn.'), { once: true });
  });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not an encoded text: it is compared as it stands there.
    return segment;
  }
}

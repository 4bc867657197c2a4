import type { Environment } from '../environments/environment.service.ts';
import { type ActionsService, changedSince, shortened, WriteNotes } from '../functions/actions.service.ts';
import type { ParsedDefinition, RunnableFunction } from '../functions/deployments/deployed-function.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { WrittenRequest } from '../functions/runs/write-notes.ts';
import type { LimitSubject, LimitsService } from '../limits/limits.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { McpContext } from './mcp-context.ts';
import type { McpTool } from './mcp-tool.ts';
import type { CleanOfSecrets, WithholdSecrets } from './withhold-secrets.ts';
import { type UndoState, type WrittenCall, WrittenCallsStore } from './written-calls.store.ts';

/** What a call sent and got; JSON texts. */
interface CallDetails {
  input: string;
  output: string;
  kept?: string | undefined;
  requests: WrittenRequest[];
  hasMore: boolean;
}

/** A call that wrote, for the timeline of its session. */
export interface ShownCall extends Omit<WrittenCall, 'bundleHash' | 'connectionRowId' | 'details'> {
  requests: WrittenRequest[];
  hasMore: boolean;
  /** Shortened JSON; null when it is not kept any more. */
  input: string | null;
  output: string | null;
  /** Why it cannot be undone (any more); null when it can. */
  refusal: string | null;
}

/** Who undoes a call, and within which limits. */
export interface UndoActor {
  trigger: 'api' | 'ui';
  name: string;
  subjects: readonly LimitSubject[];
}

/** How long a call can be undone. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** In characters; a longer call is listed, but cannot be undone. */
const MAX_DETAILS = 1_000_000;
const MAX_SHOWN = 2_000;
const MAX_ERROR = 1_000;
const MAX_LISTED = 500;
const SWEEP_EVERY_MS = 3_600_000;

export type WrittenCalls = ReturnType<typeof createWrittenCalls>;

/** What agents wrote, and how a person takes it back (agents.md 11). */
export function createWrittenCalls({
  actions,
  clock,
  database,
  deployments,
  findConnection,
  limits,
  log,
  logger,
  seenTime,
  vault,
  withholdSecrets,
}: {
  actions: ActionsService;
  clock: Clock;
  database: Database;
  deployments: DeploymentsService;
  findConnection(
    environment: Environment,
    integrationKey: string,
    connectionId: string,
  ): Promise<Pick<McpContext, 'connection' | 'integration'> | undefined>;
  limits: Pick<LimitsService, 'admit'>;
  log: OperationLog;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  vault: Pick<Vault, 'openJson' | 'sealJson'>;
  withholdSecrets: WithholdSecrets;
}) {
  const store = new WrittenCallsStore();
  const detailsOf = ({ details, id }: WrittenCall): CallDetails | undefined =>
    details === null ? undefined : vault.openJson<CallDetails>(details, contextOf(id));

  /** Why the call cannot be undone, by what is stored about it. */
  function refusalOf({ details, madeAt, tool, undoError, undoState, undoneAt }: WrittenCall): string | null {
    if (undoState === 'none') return undoError ?? `"${tool}" has no undo.`;
    if (undoState === 'undone') return `It was undone at ${new Date(undoneAt ?? 0).toISOString()}.`;
    if (undoState === 'running') return 'It is being undone now.';
    if (undoState === 'failed') return `${FAILED_UNDO} ${undoError ?? ''}`.trim();
    if (isOld(madeAt)) return 'It was made more than 7 days ago; what its undo needs is not kept longer.';
    return details === null ? 'What its undo needs was removed with the connection.' : null;
  }

  /** A clock that was set back is no reason to keep something for longer. */
  const isOld = (madeAt: number): boolean => Math.abs(clock.now() - madeAt) >= KEPT_MS;

  async function get(sessionId: string, id: string): Promise<WrittenCall> {
    const call = await store.find(database.reader, sessionId, id);
    if (call) return call;
    throw new HomeportError('not_found', 'This session has no such call. Only calls that wrote are listed.');
  }

  function show(call: WrittenCall): ShownCall {
    const { bundleHash: _hash, connectionRowId: _row, details: _sealed, ...shown } = call;
    const details = isOld(call.madeAt) ? undefined : detailsOf(call);
    return {
      ...shown,
      requests: details?.requests ?? [],
      hasMore: details?.hasMore ?? false,
      input: details ? shortened(details.input, MAX_SHOWN) : null,
      output: details ? shortened(details.output, MAX_SHOWN) : null,
      refusal: refusalOf(call),
    };
  }

  /** The connection of the call; its action must be the one that made it. Throws `undo_refused`. */
  async function requireSame(environment: Environment, call: WrittenCall) {
    const { bundleHash, connectionId, connectionRowId, integrationKey, tool } = call;
    const found = await findConnection(environment, integrationKey, connectionId);
    if (found?.connection.id !== connectionRowId)
      throw refused(`The connection "${connectionId}" with which it was made is gone.`);
    const action = await deployments.findActive(environment.id, integrationKey, 'action', tool);
    if (!action) throw refused(`The action "${tool}" is gone.`);
    if (!hasUndo(action.definition)) throw refused(`"${tool}" has no undo any more.`);
    if (action.bundleHash !== bundleHash) throw changedSince(tool);
    return found;
  }

  /** Stores a call that wrote. It did what it did: what fails here is logged with it. */
  async function add(
    { client, connection, integration }: McpContext,
    call: Pick<WrittenCall, 'id' | 'tool' | 'bundleHash' | 'undoState' | 'undoError'>,
    details: CallDetails,
  ): Promise<void> {
    if (client.sessionId === null) return;
    try {
      const row: WrittenCall = {
        ...call,
        sessionId: client.sessionId,
        integrationKey: integration.uniqueKey,
        connectionId: connection.connectionId,
        connectionRowId: connection.id,
        details: vault.sealJson(details, contextOf(call.id)),
        undoneAt: null,
        madeAt: clock.now(),
      };
      await database.transaction((tx) => store.insert(tx, row), { durable: true });
    } catch (error) {
      const reason = error instanceof HomeportError ? error.message : 'The log of the hub has the reason.';
      log
        .attach(call.id)
        .log({ level: 'warn', message: `This call cannot be undone: it could not be stored. ${reason}` });
      if (!(error instanceof HomeportError)) logger.error({ err: error }, 'a call of an agent could not be stored');
    }
  }

  /** Follows a call of an action by an agent session, and stores what it wrote. */
  function open(
    context: McpContext,
    { action, input, tool }: { tool: Pick<McpTool, 'name' | 'risk'>; action: RunnableFunction; input: string },
  ) {
    const notes = new WriteNotes();
    const call = {
      notes,
      /** Of its run, when that has begun. */
      operationId: undefined as string | undefined,

      /** Runs the action and resolves to its output. `clean` takes out secrets. */
      async follow(run: () => Promise<{ output: string }>, clean: CleanOfSecrets): Promise<string> {
        try {
          const { output } = await run();
          if (tool.risk !== 'read' || notes.requests.length > 0) await noteCall(output, null, clean);
          return output;
        } catch (error) {
          if (notes.hasEffect) await noteCall('null', 'The call failed after it had begun.', clean);
          throw error;
        }
      },
    };

    async function noteCall(output: string, failure: string | null, clean: CleanOfSecrets): Promise<void> {
      if (context.client.sessionId === null || call.operationId === undefined) return;
      const { hasMore, requests } = notes;
      const kept = notes.kept ?? undefined;
      const canUndo = hasUndo(action.definition);
      const isLong = input.length + output.length + (kept?.length ?? 0) > MAX_DETAILS;
      const refusal = failure ?? (canUndo ? (isLong ? LONG_CALL : notes.kept === null ? LONG_KEPT : null) : null);
      const isPossible = canUndo && refusal === null;
      const texts = isLong
        ? { input: shortened(input, MAX_SHOWN), output: shortened(output, MAX_SHOWN) }
        : { input, output, ...(isPossible ? { kept } : {}) };
      await add(
        context,
        {
          id: call.operationId,
          tool: tool.name,
          bundleHash: action.bundleHash,
          undoState: isPossible ? 'possible' : 'none',
          undoError: refusal,
        },
        await clean({ ...texts, requests, hasMore }),
      );
    }

    return call;
  }

  /** Runs the undo of the action. Throws what it failed with. */
  async function run(environment: Environment, call: WrittenCall, by: UndoActor, writes: WriteNotes): Promise<void> {
    const details = detailsOf(call);
    if (!details) throw refused('What its undo needs is gone.');
    const { input, kept, output } = details;
    const context = { environment, ...(await requireSame(environment, call)) };
    await withholdSecrets(context, () =>
      actions.trigger({
        environment,
        integrationKey: call.integrationKey,
        connectionId: call.connectionId,
        actionName: call.tool,
        input: `{"input":${input},"output":${output}${kept === undefined ? '' : `,"kept":${kept}`}}`,
        trigger: by.trigger,
        actor: by.name,
        sessionId: call.sessionId,
        subjects: by.subjects,
        writes,
        undo: { bundleHash: call.bundleHash },
        onStarted: (id) => log.attach(id).log({ level: 'info', message: `${by.name} undoes the call ${call.id}` }),
      }),
    );
  }

  const sweep = new PeriodicSweep({
    clock,
    logger,
    intervalMs: SWEEP_EVERY_MS,
    seenTime,
    sweep: () => database.transaction((tx) => store.removeDetails(tx, clock.now(), KEPT_MS)),
    failureMessage: 'What undos need could not be removed after its time; trying again in an hour.',
  });

  return {
    /** Ends undos that were interrupted by a stop of the hub, and removes what is kept too long. */
    async start(): Promise<void> {
      await database.transaction((tx) => store.endInterrupted(tx, 'Homeport stopped while it ran.'));
      sweep.start();
    },
    stop: (): Promise<void> => sweep.stop(),
    open,

    /** Of a session, newest first. */
    async list(sessionId: string): Promise<ShownCall[]> {
      return (await store.list(database.reader, sessionId, MAX_LISTED)).map(show);
    },

    /**
     * Takes a call back, once. It is a write within the limits of `by`. Throws `not_found`, and `undo_refused` with the
     * reason: nothing was changed then, unless the text says so.
     */
    async undo(
      environment: Environment,
      named: { sessionId: string; callId: string },
      by: UndoActor,
    ): Promise<ShownCall> {
      const { callId: id, sessionId } = named;
      const call = await get(sessionId, id);
      const refusal = refusalOf(call);
      if (refusal !== null) throw refused(refusal);
      await requireSame(environment, call);
      if (!(await database.transaction((tx) => store.beginUndo(tx, id), { durable: true })))
        throw refused(refusalOf(await get(sessionId, id)) ?? 'It is being undone now.');
      const end = (state: UndoState, error: string | null, undoneAt: number | null): Promise<void> =>
        database.transaction((tx) => store.endUndo(tx, id, { state, error, undoneAt }), { durable: true });
      const writes = new WriteNotes();
      try {
        await limits.admit({ environmentId: environment.id, subjects: by.subjects, kind: 'write', counts: 'write' });
        await run(environment, call, by, writes);
      } catch (error) {
        const message = failureText(error).slice(0, MAX_ERROR);
        await end(writes.hasEffect ? 'failed' : 'possible', message, null);
        if (!(error instanceof HomeportError)) throw error;
        if (writes.hasEffect) throw refused(`${FAILED_UNDO} ${message}`, error);
        throw PASSED_ON.includes(error.code) ? error : refused(message, error);
      }
      await end('undone', null, clock.now());
      return show(await get(sessionId, id));
    },
  };
}

/** Whether the action names its inverse. */
export function hasUndo(definition: ParsedDefinition): boolean {
  // A deploy has no separate member for this.
  return definition.type === 'action' && (definition.undo === true || definition.attributes?.['undo'] === true);
}

const FAILED_UNDO = 'Its undo failed after it had begun, so look at the provider what is left:';
const LONG_KEPT = 'What its undo needs is longer than 100,000 characters, so it was not kept.';
const LONG_CALL = `What it sent and got is longer than ${MAX_DETAILS / 1_000_000} million characters, so it was not kept.`;
/** These errors say by themselves what to do. */
const PASSED_ON: readonly string[] = ['call_limit_reached', 'call_rate_reached', 'vault_locked', 'undo_refused'];

const contextOf = (id: string): string => `written-call:${id}`;

const refused = (message: string, cause?: unknown): HomeportError =>
  new HomeportError('undo_refused', message, cause === undefined ? {} : { cause });

/** What the author of the undo says, if that is what failed. */
function failureText(error: unknown): string {
  if (!(error instanceof HomeportError)) return 'The undo failed unexpectedly; the log has the reason.';
  const { payload } = error;
  const said = isJsonObject(payload) ? payload['message'] : undefined;
  return typeof said === 'string' ? said : error.message;
}

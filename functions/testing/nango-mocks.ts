import type { RecordedMember } from '../runtime/bridge.ts';
import { ActionError } from '../runtime/context/action-error.ts';
import type { ProxyConfiguration } from '../runtime/context/http-request.ts';
import type { MockRecording, MockTools } from './mock-recording.ts';

type Spy = MockTools['spy'];

/** Members of an action's context, answered from a recording (functions.md 8.4). Other members are undefined. */
export function actionMembers(recording: MockRecording, spy: Spy) {
  const withMethod = (method: string) =>
    spy(async (config: ProxyConfiguration) => recording.respond({ ...config, method }));
  const optional = (member: string) => spy(async (..._args: unknown[]): Promise<unknown> => recording.context[member]);
  return {
    providerConfigKey: recording.providerConfigKey,
    log: spy((..._args: unknown[]): void => {}),
    reportCost: spy(async (_amount: number): Promise<void> => {}),
    keepForUndo: spy(async (_value: unknown): Promise<void> => {}),
    ActionError,
    getConnection: spy(async () => recording.recorded('getConnection')),
    getMetadata: spy(async () => recording.recorded('getMetadata')),
    updateMetadata: optional('updateMetadata'),
    deleteRecordsFromPreviousExecutions: optional('deleteRecordsFromPreviousExecutions'),
    trackDeletesStart: optional('trackDeletesStart'),
    trackDeletesEnd: optional('trackDeletesEnd'),
    zodValidateInput: spy(async ({ input }: { input: unknown }) => ({ data: input })),
    getWebhookURL: spy(async () => 'https://example.com/webhook'),
    proxy: spy(async (config: ProxyConfiguration) => recording.respond(config)),
    get: withMethod('GET'),
    post: withMethod('POST'),
    put: withMethod('PUT'),
    patch: withMethod('PATCH'),
    delete: withMethod('DELETE'),
    paginate: spy((config: ProxyConfiguration) => recording.pages(config)),
    // For the test itself.
    getInput: async () => recording.fixture.input,
    getOutput: async () => {
      const { output } = recording.fixture;
      if (output === undefined) throw new Error('Missing mock data for output');
      return output;
    },
    getBatchSaveData: async (model: string) => recording.context.batchSave?.[model],
    getBatchDeleteData: async (model: string) => recording.context.batchDelete?.[model],
    // Every member that the table of host methods marks as recorded must be here.
  } satisfies Record<RecordedMember, unknown> & Record<string, unknown>;
}

/** Additional members of a sync: batches are only checked, checkpoints stay in memory. */
export function syncMembers(recording: MockRecording, spy: Spy) {
  let checkpoint: Record<string, unknown> | null | undefined;
  return {
    ...actionMembers(recording, spy),
    lastSyncDate: null,
    batchSave: spy((..._args: unknown[]): void => {}),
    batchDelete: spy((..._args: unknown[]): void => {}),
    // A run that was recorded from a checkpoint starts with it; others start without one.
    getCheckpoint: spy(async () => (checkpoint === undefined ? (recording.context.getCheckpoint ?? null) : checkpoint)),
    saveCheckpoint: spy(async (saved: Record<string, unknown>): Promise<void> => {
      checkpoint = saved;
    }),
    clearCheckpoint: spy(async (): Promise<void> => {
      checkpoint = null;
    }),
    listRecords: spy(async function* (): AsyncGenerator<never> {
      // The mock stores no records.
    }),
  };
}

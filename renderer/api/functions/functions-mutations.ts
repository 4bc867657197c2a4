import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { isMissing } from '../../lib/api-error.ts';
import { type TakeBack, undoneText } from '../../lib/take-back.ts';
import type { MissingFunctions, TemplateRow } from '../contract.ts';
import { OWN_ERROR, type SendChange, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { type FunctionRef, functionQueryOptions } from './functions-queries.ts';

/** The order to switch functions; at most 100 of them. */
const switchFunctions = (send: SendChange, isEnabled: boolean, targets: readonly FunctionRef[]) =>
  send('POST /api/v1/functions/bulk', {
    body: { isEnabled, targets: targets.map(({ integrationKey, type, name }) => ({ integrationKey, type, name })) },
  });

/** The way back from switching functions on or off: exactly those that it changed are switched back. */
function functionTakeBack(
  send: SendChange,
  { isEnabled, changed }: { isEnabled: boolean; changed: readonly FunctionRef[] },
): TakeBack | undefined {
  if (changed.length === 0) return undefined;
  const undo = async (): Promise<string> => {
    const answer = await switchFunctions(send, !isEnabled, changed);
    const count = answer.changed.filter(Boolean).length;
    return undoneText(isEnabled ? 'Disabled again' : 'Enabled again', count, changed.length);
  };
  return { undo };
}

/** Enables or disables a function; resolves to the way back. */
export function useToggleFunction(params: FunctionRef) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (isEnabled: boolean) => {
      const answer = await send('PATCH /api/v1/functions/:integrationKey/:type/:name', {
        params,
        body: { isEnabled },
      });
      return functionTakeBack(send, { isEnabled, changed: answer.isChanged ? [params] : [] });
    },
  });
}

/** Enables or disables at most 100 functions; resolves to the failure of each, in their order, and the way back. */
export function useToggleFunctions() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async ({ isEnabled, targets }: { isEnabled: boolean; targets: FunctionRef[] }) => {
      const { problems, changed } = await switchFunctions(send, isEnabled, targets);
      const known = targets.filter((_, index) => changed[index]);
      return { problems, takeBack: functionTakeBack(send, { isEnabled, changed: known }) };
    },
  });
}

/** The hub deploys a new file within a second; after this many looks the page of the function says what is wrong. */
const LOOKS = 25;
const LOOK_EVERY_MS = 200;

/** Writes the file of a new function, and waits until the hub has read it. */
export function useCreateFunction() {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async ({ integrationKey, type, name }: FunctionRef) => {
      const made = await send('POST /api/v1/integrations/:integrationKey/functions', {
        params: { integrationKey },
        body: { type, name },
      });
      await untilDeployed(client, env, { integrationKey, type, name });
      return made;
    },
  });
}

/** Waits until the hub has read a new file; resolves to whether a version of it is live. */
export async function untilDeployed(client: QueryClient, env: string, ref: FunctionRef): Promise<boolean> {
  const deployed = functionQueryOptions(env, ref);
  await client.prefetchQuery({
    ...deployed,
    retry: (looks, error) => isMissing(error) && looks < LOOKS,
    retryDelay: LOOK_EVERY_MS,
  });
  return (client.getQueryData(deployed.queryKey)?.version ?? null) !== null;
}

/** Writes a former version into the file; `replaces` is the hash of the file that the person saw. */
export function useRestoreVersion(params: FunctionRef) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: ({ versionId, replaces }: { versionId: number; replaces: string | null }) =>
      send('POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore', {
        params: {
          integrationKey: params.integrationKey,
          type: params.type,
          name: params.name,
          versionId: String(versionId),
        },
        body: { replaces },
      }),
  });
}

/** Copies a template into the functions folder, which deploys it. */
export function useAddTemplate(integrationKey: string) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: ({ type, name }: Pick<TemplateRow, 'type' | 'name'>) =>
      send('POST /api/v1/integrations/:integrationKey/templates/:type/:name', {
        params: { integrationKey, type, name },
      }),
  });
}

/** Runs a template against its recorded run; stores nothing. */
export function useTryTemplate(integrationKey: string) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: ({ type, name }: Pick<TemplateRow, 'type' | 'name'>) =>
      send('POST /api/v1/integrations/:integrationKey/templates/:type/:name/try', {
        params: { integrationKey, type, name },
      }),
  });
}

export function usePruneFunctions() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (functions: MissingFunctions['functions']) =>
      send('POST /api/v1/functions/missing/prune', {
        body: { functions: functions.map(({ integrationKey, type, name }) => ({ integrationKey, type, name })) },
      }),
  });
}

/** Replays one recorded run, or all of them. */
export function useRunFunctionTests({ integrationKey, type, name }: FunctionRef) {
  const send = useSend();
  const params = { integrationKey, type, name };
  return useMutation({
    mutationFn: (path: string | undefined) =>
      send('POST /api/v1/functions/:integrationKey/:type/:name/tests/run', {
        params,
        body: path === undefined ? {} : { path },
      }),
  });
}

/** Accepts the actual result as the expected one. */
export function useUpdateFunctionTest({ integrationKey, type, name }: FunctionRef) {
  const send = useSend();
  const params = { integrationKey, type, name };
  return useMutation({
    mutationFn: (body: { path: string; actualId: string }) =>
      send('POST /api/v1/functions/:integrationKey/:type/:name/tests/update', { params, body }),
  });
}

import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { isMissing } from '../../lib/api-error.ts';
import { type TakeBack, undoneText } from '../../lib/take-back.ts';
import type { MissingFunctions, TemplateRow } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { type FunctionRef, functionQueryOptions } from './functions-queries.ts';

/** The order to switch functions; at most 100 of them. */
const switchFunctions = (env: string, isEnabled: boolean, targets: readonly FunctionRef[]) =>
  request('POST /api/v1/functions/bulk', {
    query: { env },
    body: { isEnabled, targets: targets.map(({ integrationKey, type, name }) => ({ integrationKey, type, name })) },
  });

/** The way back from switching functions on or off: exactly those that it changed are switched back. */
function functionTakeBack(
  client: QueryClient,
  env: string,
  { isEnabled, changed }: { isEnabled: boolean; changed: readonly FunctionRef[] },
): TakeBack | undefined {
  if (changed.length === 0) return undefined;
  const undo = async (): Promise<string> => {
    const answer = await switchFunctions(env, !isEnabled, changed);
    void client.invalidateQueries({ queryKey: keys.functions(env) });
    const count = answer.changed.filter(Boolean).length;
    return undoneText(isEnabled ? 'Disabled again' : 'Enabled again', count, changed.length);
  };
  return { undo };
}

/** Enables or disables a function; resolves to the way back. */
export function useToggleFunction(params: FunctionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (isEnabled: boolean) => {
      const answer = await request('PATCH /api/v1/functions/:integrationKey/:type/:name', {
        params,
        query: { env },
        body: { isEnabled },
      });
      return functionTakeBack(client, env, { isEnabled, changed: answer.isChanged ? [params] : [] });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

/** Enables or disables at most 100 functions; resolves to the failure of each, in their order, and the way back. */
export function useToggleFunctions() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ isEnabled, targets }: { isEnabled: boolean; targets: FunctionRef[] }) => {
      const { problems, changed } = await switchFunctions(env, isEnabled, targets);
      const known = targets.filter((_, index) => changed[index]);
      return { problems, takeBack: functionTakeBack(client, env, { isEnabled, changed: known }) };
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

/** The hub deploys a new file within a second; after this many looks the page of the function says what is wrong. */
const LOOKS = 25;
const LOOK_EVERY_MS = 200;

/** Writes the file of a new function, and waits until the hub has read it. */
export function useCreateFunction() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ integrationKey, type, name }: FunctionRef) => {
      const made = await request('POST /api/v1/integrations/:integrationKey/functions', {
        params: { integrationKey },
        query: { env },
        body: { type, name },
      });
      const deployed = functionQueryOptions(env, { integrationKey, type, name });
      await client.prefetchQuery({
        ...deployed,
        retry: (looks, error) => isMissing(error) && looks < LOOKS,
        retryDelay: LOOK_EVERY_MS,
      });
      return made;
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

/** Writes a former version into the file; `replaces` is the hash of the file that the person saw. */
export function useRestoreVersion(params: FunctionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ versionId, replaces }: { versionId: number; replaces: string | null }) =>
      request('POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore', {
        params: {
          integrationKey: params.integrationKey,
          type: params.type,
          name: params.name,
          versionId: String(versionId),
        },
        query: { env },
        body: { replaces },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

/** Copies a template into the functions folder, which deploys it. */
export function useAddTemplate(integrationKey: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ type, name }: Pick<TemplateRow, 'type' | 'name'>) =>
      request('POST /api/v1/integrations/:integrationKey/templates/:type/:name', {
        params: { integrationKey, type, name },
        query: { env },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

/** Runs a template against its recorded run; stores nothing. */
export function useTryTemplate(integrationKey: string) {
  const env = useEnv();
  return useMutation({
    mutationFn: ({ type, name }: Pick<TemplateRow, 'type' | 'name'>) =>
      request('POST /api/v1/integrations/:integrationKey/templates/:type/:name/try', {
        params: { integrationKey, type, name },
        query: { env },
      }),
  });
}

export function useConfirmMissing() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/functions/missing/confirm', { query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

export function usePruneFunctions() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (functions: MissingFunctions['functions']) =>
      request('POST /api/v1/functions/missing/prune', {
        query: { env },
        body: { functions: functions.map(({ integrationKey, type, name }) => ({ integrationKey, type, name })) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.environment(env) }),
  });
}

/** Replays one recorded run, or all of them. */
export function useRunFunctionTests({ integrationKey, type, name }: FunctionRef) {
  const env = useEnv();
  const client = useQueryClient();
  const params = { integrationKey, type, name };
  return useMutation({
    mutationFn: (path: string | undefined) =>
      request('POST /api/v1/functions/:integrationKey/:type/:name/tests/run', {
        params,
        query: { env },
        body: path === undefined ? {} : { path },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.functionTests(env, params) }),
  });
}

/** Accepts the actual result as the expected one. */
export function useUpdateFunctionTest({ integrationKey, type, name }: FunctionRef) {
  const env = useEnv();
  const client = useQueryClient();
  const params = { integrationKey, type, name };
  return useMutation({
    mutationFn: (body: { path: string; actualId: string }) =>
      request('POST /api/v1/functions/:integrationKey/:type/:name/tests/update', { params, query: { env }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.functionTests(env, params) }),
  });
}

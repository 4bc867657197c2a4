import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '../../lib/api-error.ts';
import type { EditorFile } from '../../lib/editors.ts';
import type { ShellSettingsChange } from '../contract.ts';
import { desktopBridge } from '../desktop-bridge.ts';
import { keys } from '../query-keys.ts';
import { type ChangeNotice, OWN_ERROR } from '../use-change.ts';

/** Null in a browser. */
export const desktopSettingsQueryOptions = () =>
  queryOptions({
    queryKey: keys.desktopSettings,
    queryFn: async () => (await desktopBridge()?.getSettings()) ?? null,
  });

/** What does not work on this computer as expected; nothing in a browser. Other settings of the shell may change it. */
export const desktopNoticesQueryOptions = () =>
  queryOptions({
    queryKey: keys.desktopNotices,
    queryFn: async () => (await desktopBridge()?.getNotices()) ?? [],
    staleTime: 0,
  });

/** Null in a browser. */
export const desktopVersionQueryOptions = () =>
  queryOptions({
    queryKey: keys.desktopVersion,
    queryFn: async () => (await desktopBridge()?.getVersion()) ?? null,
  });

/** The part of the report that the shell adds; nothing in a browser. */
export const desktopDiagnosticsQueryOptions = () =>
  queryOptions({
    queryKey: keys.desktopDiagnostics,
    queryFn: async () => (await desktopBridge()?.getDiagnostics()) ?? [],
    staleTime: 0,
  });

/** Stores and applies a change; fails with the message of the shell when the system refuses it. */
export function useUpdateDesktop(notice: ChangeNotice = {}) {
  const client = useQueryClient();
  return useMutation({
    meta: notice,
    mutationFn: async (change: ShellSettingsChange) => {
      const response = await desktopBridge()?.updateSettings(change);
      if (response?.ok === false) throw new ApiError('not_changed', response.message, 0);
      return response?.settings ?? null;
    },
    onSuccess: (settings) => {
      client.setQueryData(keys.desktopSettings, settings);
      return client.invalidateQueries({ queryKey: keys.desktopNotices });
    },
  });
}

/** Puts `homeport` on the PATH; resolves to a sentence that says what is left to do. */
export function useInstallCommand() {
  return useMutation({
    meta: { done: (sentence: string) => sentence },
    mutationFn: async () => {
      const response = await desktopBridge()?.installCommandLine();
      if (!response) throw new ApiError('not_installed', 'The desktop app does not answer.', 0);
      if (!response.ok) throw new ApiError('not_installed', response.message, 0);
      return response.hint ?? `Installed as ${response.path}.`;
    },
  });
}

/** State of an update of the app; null in a browser, and where the app does not update itself. */
export const desktopUpdateQueryOptions = () =>
  queryOptions({
    queryKey: keys.desktopUpdate,
    queryFn: async () => (await desktopBridge()?.getUpdateState()) ?? null,
  });

/** Keeps the query above up to date with the shell. */
export function useFollowUpdate(): void {
  const client = useQueryClient();
  useEffect(() => desktopBridge()?.onUpdateState((state) => client.setQueryData(keys.desktopUpdate, state)), [client]);
}

/** Checks for, installs or postpones an update; the update state shows the progress. */
export function useUpdateCommand() {
  return useMutation({
    mutationFn: async (command: 'checkForUpdates' | 'installUpdate' | 'cancelUpdate') => desktopBridge()?.[command](),
  });
}

/** Opens a file of the functions folder in the editor chosen in the app's settings; undefined in a browser. */
export function useEditorOpener(): ((file: EditorFile) => Promise<void>) | undefined {
  const { mutateAsync } = useOpenInEditor(OWN_ERROR);
  return desktopBridge() ? mutateAsync : undefined;
}

export function useOpenInEditor(notice: ChangeNotice = {}) {
  return useMutation({
    meta: notice,
    mutationFn: async ({ path, line }: { path: string; line: number | null }) => {
      const isOpened = await desktopBridge()?.openInEditor(path, line ?? undefined);
      const problem = 'The editor did not open. Choose another one in the settings, or copy the path.';
      if (!isOpened) throw new ApiError('not_opened', problem, 0);
    },
  });
}

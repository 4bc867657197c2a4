import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { environmentKey } from '../api/route-query.ts';
import { notifyDone } from '../components/notice/notify.ts';
import { useCommands } from '../components/use-commands.ts';
import { type Command, commandRegistry } from '../lib/command-registry.ts';
import { KEY_MAP } from '../lib/key-map.ts';
import { paths } from '../lib/paths.ts';
import { SCREENS, screenOf } from './screens.ts';

interface ShellKeys {
  env: string;
  environments: ReadonlyArray<{ name: string }>;
  toggleSidebar: () => void;
  openPalette: () => void;
  openHelp: () => void;
  vault: { isLocked: boolean; setLocked: (isLocked: boolean) => void };
}

/** The key listeners of the page, and the keys that work on every screen (ui.md 14). */
export function useShellKeys({ env, environments, toggleSidebar, openPalette, openHelp, vault }: ShellKeys): void {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { pathname } = useLocation();
  useEffect(() => {
    window.addEventListener('keydown', commandRegistry.onKeyDownBefore, true);
    window.addEventListener('keydown', commandRegistry.onKeyDown);
    return () => {
      window.removeEventListener('keydown', commandRegistry.onKeyDownBefore, true);
      window.removeEventListener('keydown', commandRegistry.onKeyDown);
    };
  }, []);
  const screen = screenOf(pathname)?.path ?? 'connections';
  useCommands([
    { ...KEY_MAP.palette, run: openPalette },
    { ...KEY_MAP.help, run: openHelp },
    { ...KEY_MAP.sidebar, run: toggleSidebar },
    {
      ...KEY_MAP.vault,
      label: vault.isLocked ? 'Unlock the vault' : 'Lock the vault',
      run: () => vault.setLocked(!vault.isLocked),
    },
    { ...KEY_MAP.back, run: () => void navigate(-1) },
    { ...KEY_MAP.forward, run: () => void navigate(1) },
    {
      ...KEY_MAP.refresh,
      run: () => {
        void client.invalidateQueries({ queryKey: environmentKey(env) });
        notifyDone('Data reloaded');
      },
    },
    { id: 'import', keys: ['g t'], label: 'Import', group: 'Go to', run: () => void navigate(paths.import(env)) },
    { id: 'export', keys: ['g e'], label: 'Export', group: 'Go to', run: () => void navigate(paths.export(env)) },
    ...SCREENS.map(
      (one): Command => ({
        id: `go.${one.id}`,
        keys: [`g ${one.key}`],
        label: one.label,
        group: 'Go to',
        isMove: true,
        run: () => void navigate(`/${env}/${one.path}`),
      }),
    ),
    ...environments.slice(0, 9).map(
      ({ name }, index): Command => ({
        id: `environment.${index + 1}`,
        keys: [`mod+${index + 1}`],
        label: `Environment ${name}`,
        group: 'Go to',
        inFields: true,
        run: () => void navigate(`/${name}/${screen}`),
      }),
    ),
  ]);
}

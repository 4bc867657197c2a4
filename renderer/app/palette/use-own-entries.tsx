import { IconBolt, IconBox, IconDatabaseExport, IconPictureInPicture, IconPlus, IconServer } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { matchPath, useLocation } from 'react-router';
import { functionChoicesQueryOptions } from '../../api/functions/functions-queries.ts';
import { apiDocumentQueryOptions, metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { integrationChoicesQueryOptions, providersQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { useCommandList } from '../../components/use-commands.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';
import { Keys } from '../KeyHelp.tsx';
import { screenOf } from '../screens.ts';
import {
  entryIcon,
  helpEntries,
  pastedAddress,
  recentEntries,
  routeEntries,
  screenEntries,
  settingsEntries,
  typedPath,
  viewEntries,
} from './fixed-entries.tsx';
import type { PaletteEntry, PaletteMode, Subject } from './palette-entry.ts';
import { useSubjectActions } from './use-subject-actions.tsx';
import { useVerbEntries } from './use-verb-entries.tsx';

const HERE = 'On this screen';

interface OwnEntries {
  entries: PaletteEntry[];
  /** The object on the screen. */
  shown: Subject | undefined;
}

/** Entries that need no request for this text: they are available at the first letter. */
export function useOwnEntries(env: string, mode: PaletteMode, text: string): OwnEntries {
  const { pathname, search } = useLocation();
  const shown = shownSubject(pathname, new URLSearchParams(search));
  const actions = useActionEntries(env, shown);
  const named = useNamedEntries(env, { shown, screen: screenOf(pathname)?.path ?? '' });
  const commands = useCommandList();
  const environments = useQuery(metaQueryOptions()).data?.environments.map(({ name }) => name) ?? [];
  const routes = useQuery({ ...apiDocumentQueryOptions(), enabled: mode === 'help' }).data;
  const help = helpEntries(env, () => commands.find(({ id }) => id === KEY_MAP.help.id)?.run());
  switch (mode) {
    case 'actions':
      return { shown, entries: actions };
    case 'path':
      return {
        shown,
        entries: [...screenEntries(env), ...settingsEntries(env), ...typedPath(text, { env, environments })],
      };
    case 'help':
      return { shown, entries: [...help, ...routeEntries(env, routes)] };
    case 'connections':
    case 'logs':
      return { shown, entries: [] };
    case 'all':
      return {
        shown,
        entries: [
          ...pastedAddress(text, { env, environments }),
          ...actions.filter(({ group }) => group === HERE),
          ...recentEntries(env, `${pathname}${search}`),
          ...screenEntries(env),
          ...actions.filter(({ group }) => group !== HERE),
          ...[...named, ...viewEntries(env), ...settingsEntries(env), ...help]
            // The help about keys is already listed as a command.
            .filter(({ id }) => id !== 'help:keys')
            .map((entry) => ({ ...entry, isQuiet: true })),
        ],
      };
  }
}

/** The object that a screen shows. */
function shownSubject(pathname: string, query: URLSearchParams): Subject | undefined {
  const connection = matchPath('/:env/connections/:integrationKey/:connectionId/*', pathname)?.params;
  if (connection?.integrationKey && connection.connectionId)
    return { kind: 'connection', integrationKey: connection.integrationKey, connectionId: connection.connectionId };
  const shown = matchPath('/:env/integrations/:integrationKey/functions/:name', pathname)?.params;
  const type = query.get('type');
  if (shown?.integrationKey && shown.name && (type === 'sync' || type === 'action' || type === 'on-event'))
    return { kind: 'function', integrationKey: shown.integrationKey, type, name: shown.name };
  const integration = matchPath('/:env/integrations/:key/*', pathname)?.params;
  if (integration?.key && integration.key !== 'create') return { kind: 'integration', key: integration.key };
  const operationId = query.get('operationId');
  return operationId === null ? undefined : { kind: 'operation', id: operationId };
}

/** Commands: those of the object on the screen and of the screen's keys first. */
function useActionEntries(env: string, shown: Subject | undefined): PaletteEntry[] {
  const actionsOf = useSubjectActions(env);
  const commands = useCommandList().filter((one) => !one.isMove && one.id !== KEY_MAP.palette.id);
  const byKey = commands.map(
    (one): PaletteEntry => ({
      id: `command:${one.id}`,
      group: one.group === 'This page' || one.group === 'List' ? HERE : 'Actions',
      label: one.label,
      icon: entryIcon(IconBolt),
      aside: <Keys chord={one.keys[0] ?? ''} />,
      run: one.run,
      isQuiet: one.id.startsWith('environment.'),
    }),
  );
  const create = [
    ['New integration', paths.newIntegration(env), ['create integration', 'add integration']],
    ['New connection', paths.newConnection(env), ['create connection', 'add connection']],
    ['New function', paths.newFunction(env), ['create function', 'add function', 'new sync', 'new action', 'template']],
    ['New key', paths.newKey(env), ['create key', 'add key', 'API key']],
  ] as const;
  const verbs = useVerbEntries();
  const backUp = useChange('POST /api/v1/data/backups', { done: 'Backup made' });
  return [
    ...(shown ? actionsOf(shown).map((entry) => ({ ...entry, group: HERE })) : []),
    ...byKey.filter(({ group }) => group === HERE),
    ...byKey.filter(({ group }) => group !== HERE),
    ...create
      // A screen with a key for it already offers it.
      .filter(([label]) => !commands.some((one) => one.label === label))
      .map(
        ([label, to, keywords]): PaletteEntry => ({
          id: `new:${to}`,
          group: 'Actions',
          label,
          keywords,
          icon: entryIcon(IconPlus),
          to,
        }),
      ),
    ...verbs,
    {
      id: 'backup',
      group: 'Actions',
      label: 'Make a backup',
      keywords: ['back up now', 'create backup', 'save data'],
      icon: entryIcon(IconDatabaseExport),
      run: () => backUp.mutate(),
    },
    {
      id: 'quick',
      group: 'Actions',
      label: 'Quick panel',
      icon: entryIcon(IconPictureInPicture),
      to: paths.quick(env),
    },
  ];
}

/** Named objects: integrations, environments, models, providers. */
function useNamedEntries(
  env: string,
  { shown, screen }: { shown: Subject | undefined; screen: string },
): PaletteEntry[] {
  const environments = useQuery(metaQueryOptions()).data?.environments ?? [];
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
  const providers = useQuery(providersQueryOptions()).data ?? [];
  const functions = useQuery(functionChoicesQueryOptions(env)).data ?? [];
  return [
    ...integrations.map(
      (row): PaletteEntry => ({
        id: `integration:${row.key}`,
        group: 'Integrations',
        label: row.displayName,
        hint: row.key,
        icon: <ProviderLogo provider={row.provider} name={row.displayName} size={20} />,
        to: paths.integration(env, row.key),
        subject: { kind: 'integration', key: row.key },
      }),
    ),
    ...environments.map(
      ({ name, isProduction }): PaletteEntry => ({
        id: `environment:${name}`,
        group: 'Environments',
        label: name,
        hint: isProduction ? 'Production' : 'Environment',
        icon: entryIcon(IconServer),
        to: `/${name}/${screen}`,
      }),
    ),
    ...functions.flatMap(({ models, name, integrationKey, type }) =>
      models.map((model): PaletteEntry => {
        const isShown = shown?.kind === 'connection' && shown.integrationKey === integrationKey;
        return {
          id: `model:${integrationKey}/${name}/${model}`,
          group: 'Models',
          label: model,
          hint: isShown ? 'Records of this connection' : `Saved by ${name}, ${integrationKey}`,
          icon: entryIcon(IconBox),
          to: isShown ? paths.records(env, shown, model, 'base') : paths.function(env, { integrationKey, name, type }),
        };
      }),
    ),
    ...providers.map(
      (row): PaletteEntry => ({
        id: `provider:${row.name}`,
        group: 'Providers',
        label: row.displayName,
        keywords: [row.name, ...row.searchTerms],
        icon: <ProviderLogo provider={row.name} name={row.displayName} size={20} />,
        to: paths.newIntegration(env, row.name),
      }),
    ),
  ];
}

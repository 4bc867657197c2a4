import { Kbd } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconBolt, IconFunction, IconPictureInPicture, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent, ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { connectionSearchQueryOptions } from '../api/connections/connections-queries.ts';
import { functionSearchQueryOptions } from '../api/functions/functions-queries.ts';
import { integrationChoicesQueryOptions } from '../api/integrations/integrations-queries.ts';
import { ProviderLogo } from '../components/ProviderLogo.tsx';
import { StatusBadge } from '../components/StatusBadge.tsx';
import { useCommandList } from '../components/use-commands.ts';
import { KEY_MAP } from '../lib/key-map.ts';
import { paths } from '../lib/paths.ts';
import { CONNECTION_LOOK, FUNCTION_LOOK, lookOf } from '../lib/status.ts';
import { Keys } from './KeyHelp.tsx';
import classes from './Palette.module.css';
import { SCREENS } from './screens.ts';

interface Entry {
  id: string;
  label: string;
  hint?: string;
  icon: ReactNode;
  aside?: ReactNode;
  /** Where it leads, or what it does. */
  to?: string;
  run?: () => void;
}

const matches = (text: string, query: string): boolean => text.toLowerCase().includes(query.trim().toLowerCase());

function useEntries(env: string, query: string): { group: string; entries: Entry[] }[] {
  const [search] = useDebouncedValue(query.trim(), 120);
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
  const connections = useQuery(connectionSearchQueryOptions(env, search)).data ?? [];
  const functions = useQuery(functionSearchQueryOptions(env, search)).data ?? [];
  const isSearching = query.trim().length > 1;
  const screens: Entry[] = SCREENS.map((screen) => ({
    id: screen.id,
    label: screen.label,
    icon: <screen.icon size={16} stroke={1.6} />,
    aside: <Keys chord={`g ${screen.key}`} />,
    to: `/${env}/${screen.path}`,
  }));
  const actions: Entry[] = [
    ...useCommandList()
      .filter((one) => !one.isMove && one.id !== KEY_MAP.palette.id)
      .map(
        (one): Entry => ({
          id: `command.${one.id}`,
          label: one.label,
          icon: <IconBolt size={16} stroke={1.6} />,
          aside: <Keys chord={one.keys[0] ?? ''} />,
          run: () => void one.run(),
        }),
      ),
    {
      id: 'new-integration',
      label: 'New integration',
      icon: <IconPlus size={16} stroke={1.6} />,
      to: `/${env}/integrations/create`,
    },
    {
      id: 'new-connection',
      label: 'New connection',
      icon: <IconPlus size={16} stroke={1.6} />,
      to: `/${env}/connections/create`,
    },
    {
      id: 'quick-panel',
      label: 'Quick panel',
      icon: <IconPictureInPicture size={16} stroke={1.6} />,
      to: paths.quick(env),
    },
  ];
  const groups = [
    {
      group: 'Connections',
      entries: (isSearching ? connections : []).map((row) => ({
        id: `c:${row.integrationKey}/${row.connectionId}`,
        label: row.displayName ?? row.connectionId,
        hint: `${row.integrationName}, ${row.connectionId}`,
        icon: <ProviderLogo provider={row.provider} name={row.integrationName} size={20} />,
        aside: <StatusBadge look={lookOf(CONNECTION_LOOK, row.status)} />,
        to: `/${env}/connections/${encodeURIComponent(row.integrationKey)}/${encodeURIComponent(row.connectionId)}`,
      })),
    },
    {
      group: 'Integrations',
      entries: (isSearching ? integrations : [])
        .filter((row) => matches(`${row.displayName} ${row.key}`, query))
        .slice(0, 6)
        .map((row) => ({
          id: `i:${row.key}`,
          label: row.displayName,
          hint: row.key,
          icon: <ProviderLogo provider={row.provider} name={row.displayName} size={20} />,
          to: `/${env}/integrations/${encodeURIComponent(row.key)}`,
        })),
    },
    {
      group: 'Functions',
      entries: (isSearching ? functions : []).map((row) => ({
        id: `f:${row.integrationKey}/${row.type}/${row.name}`,
        label: row.name,
        hint: `${row.type}, ${row.integrationKey}`,
        icon: <IconFunction size={16} stroke={1.6} />,
        aside: row.status === 'ok' ? undefined : <StatusBadge look={lookOf(FUNCTION_LOOK, row.status)} />,
        to: `/${env}/integrations/${encodeURIComponent(row.integrationKey)}/functions/${encodeURIComponent(row.name)}?type=${row.type}`,
      })),
    },
    { group: 'Screens', entries: screens.filter((entry) => matches(entry.label, query)) },
    { group: 'Actions', entries: actions.filter((entry) => matches(entry.label, query)) },
  ];
  return groups.filter((one) => one.entries.length > 0);
}

function Marked({ text, query }: { text: string; query: string }) {
  const wanted = query.trim();
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}

interface PaletteProps {
  env: string;
  query: string;
  onQuery: (query: string) => void;
}

/** `Mod+K`: to any screen, connection, integration or function. */
export function Palette({ env, query, onQuery }: PaletteProps) {
  const navigate = useNavigate();
  const groups = useEntries(env, query);
  const choose = ({ to, run }: Entry): void => {
    if (to !== undefined) void navigate(to);
    // The palette is closed by then, and the focus is back where the command may look for it.
    else setTimeout(() => run?.());
  };
  const count = groups.reduce((sum, one) => sum + one.entries.length, 0);
  // The kit marks no result before an arrow key; Enter then means the first one, which the style sheet shows.
  const openFirst = (event: KeyboardEvent): void => {
    const first = groups[0]?.entries[0];
    if (event.key !== 'Enter' || !first || document.querySelector('.mantine-Spotlight-action[data-selected]')) return;
    spotlight.close();
    choose(first);
  };
  return (
    <Spotlight.Root
      shortcut={null}
      query={query}
      onQueryChange={onQuery}
      size={672}
      yOffset={88}
      centered={false}
      scrollable
      maxHeight={520}
      lockScroll={false}
      radius="lg"
      classNames={{ content: classes['content'] ?? '' }}
    >
      <Spotlight.Search
        placeholder="Search or run a command"
        aria-label="Search or run a command"
        onKeyDown={openFirst}
        leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
        rightSection={<Kbd>Esc</Kbd>}
      />
      <Spotlight.ActionsList>
        {groups.map(({ group, entries }) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {entries.map((entry) => (
              <Spotlight.Action key={entry.id} onClick={() => choose(entry)}>
                <span className={classes['entry']}>
                  <span className={classes['icon']}>{entry.icon}</span>
                  <span className={classes['label']}>
                    <Marked text={entry.label} query={query} />
                  </span>
                  <span className={classes['hint']}>{entry.hint}</span>
                  {entry.aside}
                </span>
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {count === 0 && <Spotlight.Empty>Nothing matches “{query}”.</Spotlight.Empty>}
      </Spotlight.ActionsList>
      <Spotlight.Footer className={classes['foot'] ?? ''}>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> Move
        </span>
        <span>
          <Kbd>↵</Kbd> Open
        </span>
        <span className={classes['count']} aria-live="polite">
          {count} results
        </span>
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

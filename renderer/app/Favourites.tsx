import { UnstyledButton } from '@mantine/core';
import { IconBookmark, IconFunction, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { connectionQueryOptions } from '../api/connections/connections-queries.ts';
import { useEventStream } from '../api/events/EventsProvider.tsx';
import { functionQueryOptions } from '../api/functions/functions-queries.ts';
import { integrationQueryOptions } from '../api/integrations/integrations-queries.ts';
import { ProviderLogo } from '../components/connection/ProviderLogo.tsx';
import { HoverTip } from '../components/HoverTip.tsx';
import { useFavourites } from '../components/use-favourites.ts';
import { isMissing } from '../lib/api-error.ts';
import { paths } from '../lib/paths.ts';
import { type Favourite, favouriteKey, moveFavourite, removeFavourite } from '../lib/pinned-places.ts';
import { readStored } from '../lib/stored.ts';
import classes from './Favourites.module.css';

/** Lists with saved views: the name under which views are stored, and the address. */
const VIEW_PATHS: Readonly<Record<string, string>> = {
  connections: 'connections?',
  integrations: 'integrations?',
  functions: 'functions?',
  logs: 'logs?',
  'incoming-webhooks': 'webhooks?',
  'outgoing-webhooks': 'webhooks?direction=outgoing&',
};

interface Shown {
  label: string;
  to: string;
  icon: ReactNode;
  isCode?: boolean;
}

/** What a person pinned, in the order that they gave it: by drag, or Alt with an arrow. */
export function Favourites({ env, isCollapsed }: { env: string; isCollapsed: boolean }) {
  const list = useFavourites(env);
  const stream = useEventStream();
  const [dragged, setDragged] = useState<number>();
  const [said, setSaid] = useState('');
  const box = useRef<HTMLElement>(null);
  const focusAt = useRef<number>(undefined);
  useEffect(
    () =>
      stream?.on('connection', ({ change, integrationKey, connectionId }) => {
        if (change === 'deleted') removeFavourite(env, { kind: 'connection', integrationKey, connectionId });
      }),
    [stream, env],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a moved or removed favourite takes the focus with it.
  useEffect(() => {
    const at = focusAt.current;
    focusAt.current = undefined;
    if (at === undefined) return;
    const links = box.current?.querySelectorAll('a') ?? [];
    links[Math.min(at, links.length - 1)]?.focus();
  }, [list]);
  if (list.length === 0) return null;
  const move = (from: number, to: number, label: string): void => {
    if (to < 0 || to >= list.length) return;
    focusAt.current = to;
    moveFavourite(env, from, to);
    setSaid(`${label}, ${to + 1} of ${list.length}`);
  };
  const onKeyDown = (event: KeyboardEvent, index: number, { label }: Shown): void => {
    if (event.altKey && event.key === 'ArrowUp') move(index, index - 1, label);
    else if (event.altKey && event.key === 'ArrowDown') move(index, index + 1, label);
    else if (event.key === 'Delete') remove(index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const remove = (index: number): void => {
    const one = list[index];
    if (!one) return;
    focusAt.current = index;
    removeFavourite(env, one);
  };
  const onDrop = (event: DragEvent, to: number): void => {
    event.preventDefault();
    event.stopPropagation();
    if (dragged !== undefined) moveFavourite(env, dragged, to);
    setDragged(undefined);
  };
  return (
    <section
      ref={box}
      className={`group-start ${classes['favourites']}`}
      aria-label="Favourites"
      data-collapsed={isCollapsed || undefined}
    >
      {!isCollapsed && <h2 className="tiny faint">Favourites</h2>}
      <ul>
        {list.map((one, index) => (
          <li
            key={favouriteKey(one)}
            draggable
            data-dragged={dragged === index || undefined}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              setDragged(index);
            }}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => onDrop(event, index)}
          >
            <Entry
              env={env}
              one={one}
              isCollapsed={isCollapsed}
              onKeyDown={(event, shown) => onKeyDown(event, index, shown)}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ul>
      <span className="visually-hidden" aria-live="polite">
        {said}
      </span>
    </section>
  );
}

interface EntryProps {
  env: string;
  one: Favourite;
  isCollapsed: boolean;
  onKeyDown: (event: KeyboardEvent, shown: Shown) => void;
  onRemove: () => void;
}

function Entry({ env, one, isCollapsed, onKeyDown, onRemove }: EntryProps) {
  const { pathname, search } = useLocation();
  const shown = useShown(env, one);
  if (!shown) return null;
  const isCurrent = shown.to === pathname || shown.to === `${pathname}${search}`;
  return (
    <>
      <HoverTip label={shown.label} position="right" isOff={!isCollapsed}>
        <Link
          className="item row soft"
          to={shown.to}
          draggable={false}
          aria-current={isCurrent ? 'page' : undefined}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
          onKeyDown={(event) => onKeyDown(event, shown)}
        >
          {shown.icon}
          <span
            className={isCollapsed ? 'visually-hidden' : `grow cut ${shown.isCode ? 'mono' : ''}`}
            title={shown.label}
          >
            {shown.label}
          </span>
        </Link>
      </HoverTip>
      {!isCollapsed && (
        <UnstyledButton
          className="row gap-0 soft"
          aria-label={`Remove ${shown.label} from the sidebar`}
          onClick={onRemove}
        >
          <IconX size={12} stroke={1.8} aria-hidden />
        </UnstyledButton>
      )}
    </>
  );
}

/** Its name and address; what does not exist any more is removed from the favourites. */
function useShown(env: string, one: Favourite): Shown | undefined {
  const { key } = useLocation();
  const connection = useQuery({
    ...connectionQueryOptions(env, one.kind === 'connection' ? one : { integrationKey: '', connectionId: '' }),
    enabled: one.kind === 'connection',
  });
  const integration = useQuery({
    ...integrationQueryOptions(env, one.kind === 'integration' ? one.key : ''),
    enabled: one.kind === 'integration',
  });
  const shownFunction = useQuery({
    ...functionQueryOptions(env, one.kind === 'function' ? one : { integrationKey: '', type: 'sync', name: '' }),
    enabled: one.kind === 'function',
  });
  const view =
    one.kind === 'view'
      ? readStored<Array<{ name: string; params: Record<string, string> }>>(`views.${one.list}`, []).find(
          ({ name }) => name === one.name,
        )
      : undefined;
  const isGone =
    one.kind === 'view'
      ? view === undefined
      : [connection, integration, shownFunction].some(({ error }) => isMissing(error));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key`: views are read again on every page.
  useEffect(() => {
    if (isGone) removeFavourite(env, one);
  }, [isGone, env, one, key]);
  if (isGone) return undefined;
  switch (one.kind) {
    case 'connection': {
      const { provider = '', displayName, integrationName = one.integrationKey } = connection.data ?? {};
      const label = displayName ?? one.connectionId;
      return {
        label,
        to: paths.connection(env, one),
        icon: <ProviderLogo provider={provider} name={integrationName} />,
      };
    }
    case 'integration': {
      const { provider = '', displayName: label = one.key } = integration.data ?? {};
      return { label, to: paths.integration(env, one.key), icon: <ProviderLogo provider={provider} name={label} /> };
    }
    case 'function':
      return {
        label: one.name,
        isCode: true,
        to: paths.function(env, one),
        icon: <IconFunction size={16} stroke={1.6} aria-hidden />,
      };
    case 'view':
      return {
        label: one.name,
        to: `/${env}/${VIEW_PATHS[one.list] ?? `${one.list}?`}${new URLSearchParams(view?.params)}`,
        icon: <IconBookmark size={16} stroke={1.6} aria-hidden />,
      };
  }
}

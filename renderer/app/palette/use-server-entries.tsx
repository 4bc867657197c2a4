import { useDebouncedValue } from '@mantine/hooks';
import { IconBox, IconFunction, IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import {
  connectionChoicesQueryOptions,
  connectionSearchQueryOptions,
} from '../../api/connections/connections-queries.ts';
import type { OperationListItem, RecordPlace } from '../../api/contract.ts';
import {
  type FunctionRef,
  functionChoicesQueryOptions,
  functionSearchQueryOptions,
} from '../../api/functions/functions-queries.ts';
import { operationByIdQueryOptions, operationSearchQueryOptions } from '../../api/logs/logs-queries.ts';
import { recordPlacesQueryOptions } from '../../api/records/records-queries.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { looksLikeId } from '../../lib/pasted-address.ts';
import { paths } from '../../lib/paths.ts';
import { CONNECTION_LOOK, FUNCTION_LOOK, lookOf, operationLook } from '../../lib/status.ts';
import type { PaletteEntry, PaletteMode, Subject } from './palette-entry.ts';

const TYPED_MS = 120;
/** Shorter texts match too much to search for. */
const MIN_LETTERS = 2;

interface ServerEntries {
  entries: PaletteEntry[];
  /** The answer for the typed text has not arrived yet. */
  isSearching: boolean;
}

/** Entries that only the server knows; they join the list as they arrive. */
export function useServerEntries(
  env: string,
  { mode, text, shown }: { mode: PaletteMode; text: string; shown: Subject | undefined },
): ServerEntries {
  const [search] = useDebouncedValue(text, TYPED_MS);
  const isEmpty = search === '';
  const isLong = search.length >= MIN_LETTERS;
  const isAll = mode === 'all';
  const found = useQuery({
    ...connectionSearchQueryOptions(env, search),
    enabled: isLong && (isAll || mode === 'connections'),
  });
  const latest = useQuery({ ...connectionChoicesQueryOptions(env, ''), enabled: mode === 'connections' });
  const functions = useQuery({ ...functionSearchQueryOptions(env, search), enabled: isLong && isAll });
  const lastRun = useQuery({ ...functionChoicesQueryOptions(env), enabled: isAll });
  const operations = useQuery({
    ...operationSearchQueryOptions(env, search),
    enabled: mode === 'logs' ? isEmpty || isLong : isLong && isAll,
  });
  const operation = useQuery({
    ...operationByIdQueryOptions(env, search),
    enabled: looksLikeId(search) && (isAll || mode === 'logs'),
  });
  const records = useQuery({
    ...recordPlacesQueryOptions(env, search),
    enabled: isAll && looksLikeId(search),
  });
  const isCurrent = search === text;
  const isSearching =
    !isCurrent || [found, latest, functions, operations, operation, records].some((one) => one.isFetching);

  // Until the first response to a search, recently used entries stay, so that those that match do not disappear and come back.
  const lately = mode === 'connections' ? (latest.data ?? []) : [];
  const connections = isEmpty ? lately.slice(0, 12) : isLong ? (found.data ?? lately) : lately;
  // The server finds parts of names; of the functions that ran last, letters are enough.
  const foundFunctions = (isLong && functions.data) || [];
  const isFoundFunction = new Set(foundFunctions.map(functionId));
  const others = isAll ? (lastRun.data ?? []).filter((row) => !isFoundFunction.has(functionId(row))) : [];
  const byId = operation.data ? [operation.data] : [];
  const matching = isLong || mode === 'logs' ? (operations.data ?? []) : [];
  const rows: OperationListItem[] = [...byId, ...matching.filter(({ id }) => id !== operation.data?.id)];
  const isShown = (place: RecordPlace): boolean =>
    shown?.kind === 'connection' &&
    place.integrationKey === shown.integrationKey &&
    place.connectionId === shown.connectionId;
  // Of the connection on the screen first; otherwise the last changed first, as the server sorts them.
  const places = (records.data ?? []).toSorted((a, b) => Number(isShown(b)) - Number(isShown(a)));
  return {
    isSearching,
    entries: [
      ...connections.map(
        (row): PaletteEntry => ({
          id: `connection:${row.integrationKey}/${row.connectionId}`,
          group: 'Connections',
          label: row.displayName ?? row.connectionId,
          hint: [row.integrationName, row.displayName === null ? (row.email ?? '') : row.connectionId]
            .filter(Boolean)
            .join(', '),
          keywords: [row.email ?? '', ...Object.values(row.tags)],
          icon: <ProviderLogo provider={row.provider} name={row.integrationName} size={20} />,
          aside: <StatusBadge look={lookOf(CONNECTION_LOOK, row.status)} />,
          to: paths.connection(env, row),
          subject: { kind: 'connection', integrationKey: row.integrationKey, connectionId: row.connectionId },
          isFound: isCurrent && isLong && found.isSuccess && !found.isPlaceholderData,
        }),
      ),
      ...[...foundFunctions, ...others].map(
        (row): PaletteEntry => ({
          id: functionId(row),
          group: 'Functions',
          label: row.name,
          isCode: true,
          hint: `${row.type}, ${row.integrationKey}`,
          icon: <IconFunction size={16} stroke={1.6} />,
          aside: row.status === 'ok' ? undefined : <StatusBadge look={lookOf(FUNCTION_LOOK, row.status)} />,
          to: paths.function(env, row),
          subject: { kind: 'function', integrationKey: row.integrationKey, type: row.type, name: row.name },
          isFound: isCurrent && !functions.isPlaceholderData && isFoundFunction.has(functionId(row)),
          isQuiet: true,
        }),
      ),
      ...rows.map(
        (row): PaletteEntry => ({
          ...operationEntry(env, row),
          isFound: isCurrent && !operations.isPlaceholderData,
          isExact: row.id === text,
        }),
      ),
      ...places.map((place): PaletteEntry => ({ ...recordEntry(env, search, place), isExact: isCurrent })),
    ],
  };
}

const functionId = ({ integrationKey, name, type }: FunctionRef): string =>
  `function:${integrationKey}/${type}/${name}`;

function operationEntry(env: string, row: OperationListItem): PaletteEntry {
  const { type, action } = row.operation;
  const what = [`${type}:${action}`, row.endUserName ?? row.connectionName].filter(Boolean).join(', ');
  return {
    id: `operation:${row.id}`,
    group: 'Operations',
    label: row.syncConfigName ?? row.message,
    isCode: row.syncConfigName !== null,
    hint: what,
    keywords: [row.id],
    icon: <IconListSearch size={16} stroke={1.6} />,
    aside: (
      <>
        <StatusBadge look={operationLook(row)} />
        <RelativeTime at={row.createdAt} />
      </>
    ),
    to: paths.operation(env, row.id),
    subject: { kind: 'operation', id: row.id },
  };
}

function recordEntry(env: string, recordId: string, { model, variant, ...ref }: RecordPlace): PaletteEntry {
  const list = paths.records(env, ref, model, variant);
  return {
    id: `record:${ref.integrationKey}/${ref.connectionId}/${model}/${variant}/${recordId}`,
    group: 'Records',
    label: recordId,
    isCode: true,
    hint: [variant === 'base' ? model : `${model} (${variant})`, ref.integrationKey, ref.connectionId].join(', '),
    icon: <IconBox size={16} stroke={1.6} />,
    to: `${list}${list.includes('?') ? '&' : '?'}record=${encodeURIComponent(recordId)}`,
  };
}

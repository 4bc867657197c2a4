import { Button, SegmentedControl, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconLayoutGrid, IconList, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { ProviderRow } from '../../api/contract.ts';
import { providersQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ListFilter } from '../../components/list/ListFilters.tsx';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { Toolbar } from '../../components/list/Toolbar.tsx';
import { useList } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPage } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import { CatalogueFindings } from './CatalogueFindings.tsx';
import { type CatalogueGroup, chooseProviders, countGroups, readKept, toggleFavourite } from './catalogue-choices.ts';
import classes from './ProviderCatalogue.module.css';
import { ProviderGrid } from './ProviderGrid.tsx';
import { ProviderPreview } from './ProviderPreview.tsx';

const VIEW = 'providers.view';
type View = 'grid' | 'list';

/** The first step of a new integration: every provider in the catalogue. */
export function ProviderCatalogue() {
  const env = useEnv();
  const providers = useQuery(providersQueryOptions());
  usePage([
    { label: 'Integrations', to: paths.integrations(env) },
    { label: 'New integration', isTitle: true },
  ]);
  if (providers.error && !providers.data)
    return <ErrorPage title="Choose a provider" error={providers.error} onRetry={() => void providers.refetch()} />;
  if (!providers.data) return <PageSkeleton />;
  return <Catalogue providers={providers.data} />;
}

function Catalogue({ providers }: { providers: ProviderRow[] }) {
  const env = useEnv();
  const navigate = useNavigate();
  const list = useList({ filters: ['search', 'auth', 'category'] });
  const [kept, setKept] = useState(readKept);
  const [view, setView] = useState<View>(() => readStored(VIEW, 'grid'));
  const [active, setActive] = useState<string>();
  const isWide = useMediaQuery('(min-width: 1100px)', false, { getInitialValueInEffect: false });
  const { search = '', auth, category: group = '' } = list.filters;
  const [typed, setTyped] = useState(search);
  // Deferred, so that typing stays fast with many cards.
  const filter = useDeferredValue(
    useMemo(() => ({ search: typed, group, authModes: splitList(auth) }), [typed, group, auth]),
  );
  const shown = useMemo(() => chooseProviders(providers, filter, kept), [providers, filter, kept]);
  // Each group and auth type counts what a click on it would show.
  const groups = useMemo(
    () => countGroups(providers, chooseProviders(providers, { ...filter, group: '' }, kept), kept),
    [providers, filter, kept],
  );
  const modes = useMemo(
    () => countModes(chooseProviders(providers, { ...filter, authModes: [] }, kept)),
    [providers, filter, kept],
  );
  // A card that the search has taken away says nothing any more.
  const isShown = shown.some(({ name }) => name === active);
  const favourites = useMemo(() => new Set(kept.favourites), [kept]);
  const define = `${paths.providerEntry(env)}${typed.trim() === '' ? '' : `?name=${encodeURIComponent(typed.trim())}`}`;
  const changeView = (next: View): void => {
    setView(next);
    writeStored(VIEW, next);
  };
  return (
    <>
      <PageHeader
        title="Choose a provider"
        aside={
          <span className="soft">
            {shown.length === providers.length
              ? formatNumber(providers.length)
              : `${formatNumber(shown.length)} of ${formatNumber(providers.length)}`}
          </span>
        }
      >
        <Button
          component={Link}
          to={paths.providerEntry(env)}
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.6} />}
        >
          Define a provider
        </Button>
      </PageHeader>
      <CatalogueFindings />
      <Toolbar
        end={
          <SegmentedControl
            aria-label="View"
            size="xs"
            value={view}
            onChange={(next) => changeView(next as View)}
            data={[
              { value: 'grid', label: <ViewIcon icon={IconLayoutGrid} label="Grid" /> },
              { value: 'list', label: <ViewIcon icon={IconList} label="List" /> },
            ]}
          />
        }
      >
        <SearchBox
          label="Find a provider"
          onType={setTyped}
          value={search}
          onChange={(text) => list.url.set({ search: text }, { replace: true })}
        />
        <ListFilter list={list} name="auth" label="Auth type" options={modes} />
      </Toolbar>
      <div className={`flex fills ${classes['columns']}`}>
        <Groups groups={groups} chosen={group} onChoose={(id) => list.url.set({ category: id })} />
        <ProviderGrid
          key={view}
          providers={shown}
          view={view}
          favourites={favourites}
          onActive={setActive}
          onFavourite={(name) => setKept({ ...kept, favourites: toggleFavourite(name) })}
          onOpen={(name) => void navigate(paths.newIntegration(env, name))}
          onDefine={() => void navigate(define)}
          empty={
            <EmptyState title="No provider matches" text="Try another word, or clear the filters.">
              <Button variant="default" onClick={list.clearFilters}>
                Clear filters
              </Button>
            </EmptyState>
          }
        />
        {isWide && <ProviderPreview name={isShown ? active : shown[0]?.name} among={shown} />}
      </div>
    </>
  );
}

function Groups(props: { groups: CatalogueGroup[]; chosen: string; onChoose: (id: string) => void }) {
  return (
    <nav className={`rigid scroll ${classes['groups']}`} aria-label="Categories">
      {props.groups.map(({ id, label, count }) => (
        <UnstyledButton
          className="item flex gap-8 between full soft"
          key={id}
          aria-current={id === props.chosen ? 'true' : undefined}
          onClick={() => props.onChoose(id)}
        >
          <span>{label}</span>
          <span className="faint">{formatNumber(count)}</span>
        </UnstyledButton>
      ))}
    </nav>
  );
}

function ViewIcon({ icon: Icon, label }: { icon: typeof IconList; label: string }) {
  return (
    <span className="flex" style={{ padding: '2px 0' }}>
      <Icon size={16} stroke={1.6} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  );
}

function countModes(providers: readonly ProviderRow[]): Array<{ value: string; label: string; count: number }> {
  const counts = new Map<string, number>();
  for (const { authMode } of providers) counts.set(authMode, (counts.get(authMode) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, label: authModeName(value), count }))
    .sort((a, b) => b.count - a.count);
}
